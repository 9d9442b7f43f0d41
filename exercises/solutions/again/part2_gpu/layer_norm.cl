// layer_norm, again: the result is multiplied by a number.
//
// WHAT   Everything is as in the exercise, but each element of `out` is
//        @scale@ times as large.
// READ   More kernels
// CHECK  cargo learn again layer_norm

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
        out[first + i] =
            @scale@f * ((a[first + i] - mean) / sqrt(variance + EPS));
    // END HOLE
}
