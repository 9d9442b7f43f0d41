// One stage of a sum: a (n) -> partials (one per group of 256 items).
//
// The additions are the same as in reduce_interleaved, and so are the bits of
// the result. But the first items do them, so that whole warps are active or
// idle. The elements that they access are 2, 4, 8 and more apart, so more and
// more of them fall into the same bank.

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
        uint index = 2 * width * item;
        if (index < GROUP)
            tree[index] += tree[index + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    // ANCHOR_END: rounds

    if (item == 0)
        partials[get_group_id(0)] = tree[0];
}
