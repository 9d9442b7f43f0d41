// two_axes: each item has a row and a column.
//
// WHAT   Write a multiplication table: in `out` (rows, columns), the element
//        at row r and column c is `a[r] * b[c]`.
// WHY    The launch has two dimensions, so an item has two indices:
//        get_global_id(0) is the column, get_global_id(1) is the row. Memory
//        has one dimension, in which the rows of `out` follow each other.
// MIND   The launch consists of whole groups of 16 x 16 items along both axes.
// READ   A tensor on the GPU
// CHECK  cargo learn check two_axes

kernel void two_axes(global const float *a, global const float *b,
                     global float *out, uint rows, uint columns)
{
    // HOLE
    //| /* TODO(two_axes): the item's row and column, and its index in out */
    uint column = get_global_id(0), row = get_global_id(1);
    if (row < rows && column < columns)
        out[row * columns + column] = a[row] * b[column];
    // END HOLE
}
