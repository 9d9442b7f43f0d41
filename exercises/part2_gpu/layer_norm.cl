// layer_norm: each row with the mean 0 and the variance 1.
//
// WHAT   Normalize each row: a (rows, columns) -> out (rows, columns). A group
//        of 256 items has a row: group 0 the first, group 1 the next. out[i] is
//        (a[i] - mean) / sqrt(variance + EPS), and the variance is the mean of
//        (a[i] - mean) squared. A row may have any number of columns.
// WHY    It stands between the layers of most networks of today, and has two
//        sums of a row, of which the second needs the first. So the tree is a
//        function, and each item of the group gets what it returns.
// MIND   A row of equal numbers has the variance 0. Numbers may lie around 4096
//        and differ by little. Who calls `total` twice uses its cells twice.
// READ   Reductions and barriers
// CHECK  cargo learn check layer_norm

#define GROUP 256
#define EPS 1e-5f

/// Adds up what the items of the group bring: each of them gets the sum.
float total(local float *tree, float mine)
{
    uint item = get_local_id(0);
    /* TODO(layer_norm): a tree, and a sum that all have read */
}

kernel void layer_norm(global const float *a, global float *out, uint columns)
{
    local float tree[GROUP];
    uint item = get_local_id(0);
    uint first = get_group_id(0) * columns;
    /* TODO(layer_norm): the mean, the variance, and what is written */
}
