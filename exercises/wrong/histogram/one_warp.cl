// Right numbers, and one warp of eight counts all of them.

#define GROUP 256
#define BINS 64

kernel void histogram(global const float *a, global uint *counts, uint n)
{
    local uint own[BINS];
    uint item = get_local_id(0);
    if (item < BINS)
        own[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    uint first = get_group_id(0) * GROUP;
    if (item < 32)
        for (uint row = first; row < n; row += get_global_size(0))
            for (uint i = item; i < GROUP && row + i < n; i += 32)
                atomic_inc(&own[(uint)a[row + i]]);
    barrier(CLK_LOCAL_MEM_FENCE);

    if (item < BINS)
        atomic_add(&counts[item], own[item]);
}
