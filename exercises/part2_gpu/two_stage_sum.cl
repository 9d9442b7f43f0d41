// two_stage_sum: a sum of any length in two launches.
//
// WHAT   Write one number per group: the sum of all values that its items
//        read. An item reads the value at its global index and from there
//        every `get_global_size(0)`-th one, up to `n`. The host launches the
//        kernel twice: with a few groups on the values, and with one group on
//        the results of those.
// WHY    Groups cannot wait for each other, so each writes its own result.
//        Items of a group can wait, and must: a round of the tree reads what
//        other items wrote in the previous round. There may be more items than
//        values, or more values than items.
// READ   Reductions and barriers
// CHECK  cargo learn check two_stage_sum

#define GROUP 256

kernel void partial_sums(global const float *a, global float *partials,
                         uint n)
{
    local float tree[GROUP];
    uint item = get_local_id(0);
    /* TODO(two_stage_sum): each item's values, the tree, the group's result */
}
