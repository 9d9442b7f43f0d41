// The guard asks how many items there are, not how many elements.

kernel void vector_add(global const float *a, global const float *b,
                       global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i < get_global_size(0)) {
        out[i] = a[i] + b[i];
    }
}
