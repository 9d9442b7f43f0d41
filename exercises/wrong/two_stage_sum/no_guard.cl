// As many values for each item, wherever the array ends.

#define GROUP 256

kernel void partial_sums(global const float *a, global float *partials,
                         uint n)
{
    local float tree[GROUP];
    uint item = get_local_id(0);
    float sum = 0.0f;
    uint turns = (n - 1) / get_global_size(0) + 1;
    for (uint turn = 0; turn < turns; turn++)
        sum += a[turn * get_global_size(0) + get_global_id(0)];
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
