// Each item of the group adds all its counts.

#define GROUP 256
#define BINS 64

kernel void histogram(global const float *a, global uint *counts, uint n)
{
    local uint own[BINS];
    uint item = get_local_id(0);
    if (item < BINS)
        own[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&own[(uint)a[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint bin = 0; bin < BINS; bin++)
        atomic_add(&counts[bin], own[bin]);
}
