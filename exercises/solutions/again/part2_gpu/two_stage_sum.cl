// two_stage_sum, again: a maximum in two launches, for any length.
//
// WHAT   Write one number per group: the largest of all values that its items
//        read, or -INFINITY if they read none. An item reads the value at its
//        global index and from there every `get_global_size(0)`-th one, up to
//        `n`. The host launches the kernel twice: with a few groups on the
//        values, and with one group on the results of those.
// READ   Reductions and barriers
// CHECK  cargo learn again two_stage_sum

#define GROUP 256

kernel void partial_sums(global const float *a, global float *partials,
                         uint n)
{
    local float tree[GROUP];
    uint item = get_local_id(0);
    // HOLE
    //| /* TODO(two_stage_sum): each item's values, the tree, the group's result */
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
