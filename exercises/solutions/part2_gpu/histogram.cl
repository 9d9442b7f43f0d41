// histogram: count in local memory first.
//
// WHAT   Count elements by size: counts[b] is how many of a[0] to a[n - 1] are
//        at least b and below b + 1. No element is negative or 64 or more, so
//        (uint)a[i] is its bin. An item reads the element at its global index
//        and from there every get_global_size(0)-th one, up to n. The host has
//        set counts to 0.
// WHY    `counts[bin] += 1` reads, adds and writes, and additions by other
//        items in between are lost. An atomic function does all three in one
//        step, but items that add to the same address must wait for each
//        other. In global memory these are the items of all groups; in local
//        memory they are only those of one. So each group first counts in
//        local memory, and at the end adds its 64 counts to the global ones.
// MIND   Local memory is not initialized. There are more items than bins.
// READ   More kernels
// CHECK  cargo learn check histogram

#define GROUP 256
#define BINS 64

kernel void histogram(global const float *a, global uint *counts, uint n)
{
    local uint own[BINS];
    uint item = get_local_id(0);
    // HOLE
    //| // `atomic_inc(&counts[b])` adds 1 and `atomic_add(&counts[b], more)`
    //| // adds `more`, in local and in global memory.
    //| /* TODO(histogram): clear, wait, count, wait, add to the global counts */
    if (item < BINS)
        own[item] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        atomic_inc(&own[(uint)a[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);

    if (item < BINS)
        atomic_add(&counts[item], own[item]);
    // END HOLE
}
