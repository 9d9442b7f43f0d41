// No guard: the spare work-items of the last group write past the end.

kernel void vector_add(global const float *a, global const float *b,
                       global float *out, uint n)
{
    uint i = get_global_id(0);
    out[i] = a[i] + b[i];
}
