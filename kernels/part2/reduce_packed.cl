// One stage of a sum: a (n) -> partials (groups of 256 items, rounded up).
//
// The additions are those of reduce_interleaved, and have its bits. But the
// first items make them, so that whole warps work or rest. Their numbers lie
// 2, 4, 8 places apart, and so more and more of them in one bank.

#define GROUP 256

__attribute__((reqd_work_group_size(GROUP, 1, 1)))
kernel void reduce_packed(global const float *a, global float *partials,
                          uint n)
{
    local float tree[GROUP];
    uint i = get_global_id(0);
    uint item = get_local_id(0);
    tree[item] = i < n ? a[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);

    // ANCHOR: rounds
    for (uint width = 1; width < GROUP; width *= 2) {
        uint at = 2 * width * item;
        if (at < GROUP)
            tree[at] += tree[at + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    // ANCHOR_END: rounds

    if (item == 0)
        partials[get_group_id(0)] = tree[0];
}
