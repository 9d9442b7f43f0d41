// Right counts, and every number is fetched for every bin.

#define GROUP 256
#define BINS 64

kernel void histogram(global const float *a, global uint *counts, uint n)
{
    local uint own[BINS];
    uint item = get_local_id(0);
    uint size = (n + get_num_groups(0) - 1) / get_num_groups(0);
    uint begin = get_group_id(0) * size, end = min(begin + size, n);
    if (item < BINS) {
        own[item] = 0;
        for (uint i = begin; i < end; i++)
            own[item] += (uint)a[i] == item;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    if (item < BINS)
        atomic_add(&counts[item], own[item]);
}
