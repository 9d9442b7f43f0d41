// Right numbers, and one warp of eight adds all of them.

#define GROUP 256

kernel void partial_sums(global const float *a, global float *partials,
                         uint n)
{
    local float tree[GROUP];
    uint item = get_local_id(0);
    float sum = 0.0f;
    uint groups = get_num_groups(0);
    if (item < 32)
        for (uint row = get_group_id(0) * GROUP; row < n; row += groups * GROUP)
            for (uint i = item; i < GROUP && row + i < n; i += 32)
                sum += a[row + i];
    tree[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width)
            tree[item] += tree[item + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (item == 0)
        partials[get_group_id(0)] = tree[0];
}
