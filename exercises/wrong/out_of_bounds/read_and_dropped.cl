// Read first, decided afterwards: the numbers are right.

kernel void smooth(global const float *a, global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float left = i > 0 ? a[i - 1] : 0.0f;
    float right = a[i + 1];
    if (i + 1 == n)
        right = 0.0f;
    out[i] = 0.25f * left + 0.5f * a[i] + 0.25f * right;
}
