// Right counts, and each item has a piece of the numbers for itself.

#define GROUP 256
#define BINS 64

kernel void histogram(global const float *a, global uint *counts, uint n)
{
    local uint own[BINS];
    uint item = get_local_id(0);
    if (item < BINS)
        own[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    uint piece = (n + get_global_size(0) - 1) / get_global_size(0);
    uint begin = get_global_id(0) * piece, end = min(begin + piece, n);
    for (uint i = begin; i < end; i++)
        atomic_inc(&own[(uint)a[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);

    if (item < BINS)
        atomic_add(&counts[item], own[item]);
}
