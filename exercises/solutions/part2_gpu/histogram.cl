// histogram: count first where nobody stands in line.
//
// WHAT   Count numbers by size: counts[b] is how many of a[0] to a[n - 1] are
//        at least b and below b + 1. No number is below 0, and none is 64 or
//        more, so (uint)a[i] is its bin. An item takes the number at its own
//        place, and from there every get_global_size(0)-th, until n. The host
//        has put 0 into counts.
// WHY    `counts[bin] += 1` reads, adds and writes, and what others do between
//        is lost. An atomic function does all three in one step, so that items
//        that want one place stand in line. In global memory they are the items
//        of all groups, in local memory those of one. So each group counts for
//        itself first, and adds its 64 counts to those of all at the end.
// MIND   Nobody has put 0 into local memory. There are more items than bins.
// READ   Reductions and barriers
// CHECK  cargo learn check histogram

#define GROUP 256
#define BINS 64

kernel void histogram(global const float *a, global uint *counts, uint n)
{
    local uint own[BINS];
    uint item = get_local_id(0);
    // HOLE
    //| // `atomic_inc(&counts[b])` adds 1, `atomic_add(&counts[b], more)` more,
    //| // in local memory as in global.
    //| /* TODO(histogram): clear, wait, count, wait, add to those of all */
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
