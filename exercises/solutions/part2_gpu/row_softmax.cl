// row_softmax: a row is fetched once, and stays.
//
// WHAT   Write the softmax of each row: a (rows, columns) -> out (rows,
//        columns). A group of 256 items has a row: group 0 the first, group 1
//        the next. out[i] is exp(a[i] - largest) divided by the sum of all
//        such exponentials of the row. A row has 1 to 1024 columns.
// WHY    A row is needed three times: for its largest number, for its sum, and
//        for what is written. Local memory has room for all of it, so global
//        memory is asked once.
// MIND   exp(100) is no f32 any more, so the largest number goes first. A row
//        may have fewer columns than there are items, and each number of it
//        may be far below 0. Both trees can use the same cells, if nobody
//        begins the second while somebody still needs the first.
// READ   Reductions and barriers
// CHECK  cargo learn check row_softmax

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
    //| /* TODO(row_softmax): load, largest, exponentials, their sum, write */
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
        out[first + i] = kept[i] / tree[0];
    // END HOLE
}
