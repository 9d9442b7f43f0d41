// The active items alternate with idle ones. Such a tree is hardly slower,
// because in every tree all warps run through all rounds.

#define GROUP 256

kernel void partial_sums(global const float *a, global float *partials,
                         uint n)
{
    local float tree[GROUP];
    uint item = get_local_id(0);
    float sum = 0.0f;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        sum += a[i];
    tree[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint width = 1; width < GROUP; width *= 2) {
        if (item % (2 * width) == 0)
            tree[item] += tree[item + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (item == 0)
        partials[get_group_id(0)] = tree[0];
}
