// Whole groups alone compute, and the rest of the array gets nothing.

kernel void guard_the_end(global const float *a, global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n - n % 256)
        out[i] = a[i] * a[i];
}
