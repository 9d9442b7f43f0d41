// The last item keeps to the array, and one more item runs.

kernel void smooth(global const float *a, global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i > n)
        return;
    float left = i > 0 ? a[i - 1] : 0.0f;
    float right = i + 1 < n ? a[i + 1] : 0.0f;
    out[i] = 0.25f * left + 0.5f * a[i] + 0.25f * right;
}
