// One stage of a sum: a (n) -> partials (one per group of 256 items).
//
// The tree adds adjacent elements first: every second item adds the element
// next to its own, then every fourth item, then every eighth. So the active
// items are scattered over all warps of the group, and every warp diverges.

#define GROUP 256

__attribute__((reqd_work_group_size(GROUP, 1, 1)))
kernel void reduce_interleaved(global const float *a, global float *partials,
                               uint n)
{
    local float tree[GROUP];
    uint i = get_global_id(0);
    uint item = get_local_id(0);
    tree[item] = i < n ? a[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);

    // ANCHOR: rounds
    for (uint width = 1; width < GROUP; width *= 2) {
        if (item % (2 * width) == 0)
            tree[item] += tree[item + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    // ANCHOR_END: rounds

    if (item == 0)
        partials[get_group_id(0)] = tree[0];
}
