// Whoever has no right neighbor is sent home.

kernel void smooth(global const float *a, global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i + 1 >= n)
        return;
    float left = i > 0 ? a[i - 1] : 0.0f;
    float right = a[i + 1];
    out[i] = 0.25f * left + 0.5f * a[i] + 0.25f * right;
}
