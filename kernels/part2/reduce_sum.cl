// One stage of a sum: a (n) -> partials (one per group of 256 items).
//
// Each group adds its 256 values as a tree: 128 items add a pair each, then
// 64, then 32, down to one. The host launches the kernel again on the partials
// until one value is left. The order of the additions depends only on n, so
// the same input gives the same bits in every run.

// ANCHOR: reduce-sum
#define GROUP 256

__attribute__((reqd_work_group_size(GROUP, 1, 1)))
kernel void reduce_sum(global const float *a, global float *partials, uint n)
{
    local float tree[GROUP];
    uint i = get_global_id(0);
    uint item = get_local_id(0);

    // An item past the end contributes 0, which changes no sum. It must not
    // return, because every item of a group must reach every barrier.
    tree[item] = i < n ? a[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width)
            tree[item] += tree[item + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (item == 0)
        partials[get_group_id(0)] = tree[0];
}
// ANCHOR_END: reduce-sum
