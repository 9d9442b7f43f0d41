// A uint is never less than 0: 0 - 1 is the largest there is.

kernel void smooth(global const float *a, global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float left = i - 1 >= 0 ? a[i - 1] : 0.0f;
    float right = i + 1 < n ? a[i + 1] : 0.0f;
    out[i] = 0.25f * left + 0.5f * a[i] + 0.25f * right;
}
