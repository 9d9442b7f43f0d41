// Right counts, and all items of all groups stand in the same lines.

#define GROUP 256
#define BINS 64

kernel void histogram(global const float *a, global uint *counts, uint n)
{
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&counts[(uint)a[i]]);
}
