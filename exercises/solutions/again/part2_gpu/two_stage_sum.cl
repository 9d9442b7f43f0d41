// two_stage_sum, again: the largest in two launches, of however many.
//
// WHAT   Leave one number for each group: the largest of all values that its
//        items take, -INFINITY where they take none. An item takes the value of
//        its own number, and from there every `get_global_size(0)`-th, until
//        `n`. The host launches the kernel twice: a few groups on the values,
//        and one group on the numbers that they left.
// READ   Reductions and barriers
// CHECK  cargo learn again two_stage_sum

#define GROUP 256

kernel void partial_sums(global const float *a, global float *partials,
                         uint n)
{
    local float tree[GROUP];
    uint item = get_local_id(0);
    // HOLE
    //| /* TODO(two_stage_sum): every item's values, the tree, the partial */
    float most = -INFINITY;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        most = fmax(most, a[i]);
    tree[item] = most;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width)
            tree[item] = fmax(tree[item], tree[item + width]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (item == 0)
        partials[get_group_id(0)] = tree[0];
    // END HOLE
}
