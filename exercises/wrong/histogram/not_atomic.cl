// An addition in three steps, for all items of all groups.

#define GROUP 256
#define BINS 64

kernel void histogram(global const float *a, global uint *counts, uint n)
{
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        counts[(uint)a[i]]++;
}
