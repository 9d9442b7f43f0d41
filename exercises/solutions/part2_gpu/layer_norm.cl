// layer_norm: normalize each row to mean 0 and variance 1.
//
// WHAT   Normalize each row: a (rows, columns) -> out (rows, columns). Each
//        row has a group of 256 items: group 0 has the first row, group 1 the
//        next. out[i] is (a[i] - mean) / sqrt(variance + EPS), where the
//        variance is the mean of (a[i] - mean) squared. A row may have any
//        number of columns.
// WHY    Most of today's networks have a layer norm between their layers. It
//        needs two sums of a row, the second of which depends on the first. So
//        the tree is a function that returns the sum to each item of the
//        group.
// MIND   A row of equal elements has variance 0. Elements may be near 4096 and
//        differ only slightly. The two calls of `total` use the same cells.
// READ   More kernels
// CHECK  cargo learn check layer_norm

#define GROUP 256
#define EPS 1e-5f

/// Returns the sum of the group's values of `mine` to each of its items.
float total(local float *tree, float mine)
{
    uint item = get_local_id(0);
    // HOLE
    //| /* TODO(layer_norm): a tree; return when all items have read the sum */
    tree[item] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width)
            tree[item] += tree[item + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float sum = tree[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
    // END HOLE
}

kernel void layer_norm(global const float *a, global float *out, uint columns)
{
    local float tree[GROUP];
    uint item = get_local_id(0);
    uint first = get_group_id(0) * columns;
    // HOLE
    //| /* TODO(layer_norm): the mean, the variance, and the output */
    float sum = 0.0f;
    for (uint i = item; i < columns; i += GROUP)
        sum += a[first + i];
    float mean = total(tree, sum) / columns;

    float squares = 0.0f;
    for (uint i = item; i < columns; i += GROUP) {
        float away = a[first + i] - mean;
        squares += away * away;
    }
    float variance = total(tree, squares) / columns;

    for (uint i = item; i < columns; i += GROUP)
        out[first + i] = (a[first + i] - mean) / sqrt(variance + EPS);
    // END HOLE
}
