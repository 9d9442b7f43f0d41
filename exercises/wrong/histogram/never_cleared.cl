// Nobody puts 0 into the counts of the group.

#define GROUP 256
#define BINS 64

kernel void histogram(global const float *a, global uint *counts, uint n)
{
    local uint own[BINS];
    uint item = get_local_id(0);
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&own[(uint)a[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);

    if (item < BINS)
        atomic_add(&counts[item], own[item]);
}
