// A grid-stride loop, which is right for a launch of any size.

kernel void vector_add(global const float *a, global const float *b,
                       global float *out, uint n)
{
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        out[i] = a[i] + b[i];
}
