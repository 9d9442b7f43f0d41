// The write is guarded, and the read stands before it.

kernel void guard_the_end(global const float *a, global float *out, uint n)
{
    uint i = get_global_id(0);
    float x = a[i];
    if (i < n)
        out[i] = x * x;
}
