// One stage of a sum: a (n) -> partials, one for each group of 256 items.
//
// There are fewer items than elements. Each item first adds elements in a
// register, with a stride of the number of items, so that adjacent items read
// adjacent elements in each iteration. Then the group adds its 256 sums with
// the tree of reduce_sum. The order of the additions depends on n and on the
// number of groups.

#define GROUP 256

__attribute__((reqd_work_group_size(GROUP, 1, 1)))
kernel void reduce_coarse(global const float *a, global float *partials,
                          uint n)
{
    local float tree[GROUP];
    uint item = get_local_id(0);

    // ANCHOR: stride
    float sum = 0.0f;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        sum += a[i];
    tree[item] = sum;
    // ANCHOR_END: stride
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width)
            tree[item] += tree[item + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (item == 0)
        partials[get_group_id(0)] = tree[0];
}
