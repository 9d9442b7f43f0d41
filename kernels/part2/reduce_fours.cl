// One stage of a sum: a (n) -> partials, one for each group of 256 items.
//
// As reduce_coarse, and in each turn an item asks for four numbers at once. So
// four times as many are on their way while it waits.

#define GROUP 256

__attribute__((reqd_work_group_size(GROUP, 1, 1)))
kernel void reduce_fours(global const float *a, global float *partials,
                         uint n)
{
    local float tree[GROUP];
    uint item = get_local_id(0);

    // A buffer begins at a multiple of 16 bytes, so its fours do too.
    global const float4 *by_four = (global const float4 *)a;
    float4 sums = (float4)(0.0f);
    for (uint i = get_global_id(0); i < n / 4; i += get_global_size(0))
        sums += by_four[i];
    float sum = (sums.x + sums.y) + (sums.z + sums.w);

    // The first items take what is left, three numbers at most.
    uint rest = n / 4 * 4 + get_global_id(0);
    if (rest < n)
        sum += a[rest];
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
