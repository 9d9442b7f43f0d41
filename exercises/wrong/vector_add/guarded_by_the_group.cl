// The guard asks how many items a group has.

kernel void vector_add(global const float *a, global const float *b,
                       global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i < get_local_size(0)) {
        out[i] = a[i] + b[i];
    }
}
