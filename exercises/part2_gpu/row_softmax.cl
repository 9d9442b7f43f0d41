// row_softmax: load each row only once.
//
// WHAT   Write the softmax of each row: a (rows, columns) -> out (rows,
//        columns). Each row has a group of 256 items: group 0 has the first
//        row, group 1 the next. out[i] is exp(a[i] - largest) divided by the
//        sum of all such exponentials of the row. A row has 1 to 1024 columns.
// WHY    A row is needed three times: for its maximum, for its sum, and for
//        the output. Local memory has room for the whole row, so it is loaded
//        from global memory only once.
// MIND   exp(100) overflows an f32, so subtract the maximum first. A row may
//        have fewer columns than there are items, and all its elements may be
//        far below 0. Both trees can use the same cells, if all items have
//        read the first result before the second tree begins.
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
    /* TODO(row_softmax): load, maximum, exponentials, their sum, write */
}
