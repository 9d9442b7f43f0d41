// row_softmax, again: the result is multiplied by a number.
//
// WHAT   Everything is as in the exercise, but each element of `out` is
//        @scale@ times as large.
// READ   Reductions and barriers
// CHECK  cargo learn again row_softmax

#define GROUP 256
#define WIDEST 1024

kernel void row_softmax(global const float *a, global float *out,
                        uint columns)
{
    local float kept[WIDEST];
    local float tree[GROUP];
    uint item = get_local_id(0);
    uint first = get_group_id(0) * columns;
    // HOLE
    //| /* TODO(row_softmax): load, maximum, exponentials, their sum, write */
    float most = -INFINITY;
    for (uint i = item; i < columns; i += GROUP) {
        kept[i] = a[first + i];
        most = fmax(most, kept[i]);
    }
    tree[item] = most;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width)
            tree[item] = fmax(tree[item], tree[item + width]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    most = tree[0];
    barrier(CLK_LOCAL_MEM_FENCE);

    float sum = 0.0f;
    for (uint i = item; i < columns; i += GROUP) {
        kept[i] = exp(kept[i] - most);
        sum += kept[i];
    }
    tree[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width)
            tree[item] += tree[item + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = item; i < columns; i += GROUP)
        out[first + i] = @scale@f * (kept[i] / tree[0]);
    // END HOLE
}
