// two_axes, again: each item has a row and a column.
//
// WHAT   Write a table of differences: in `out` (rows, columns), the element
//        at row r and column c is `a[r]` minus @times@ times `b[c]`.
// MIND   The launch consists of whole groups of 16 x 16 items along both axes.
// READ   A tensor on the GPU
// CHECK  cargo learn again two_axes

kernel void two_axes(global const float *a, global const float *b,
                     global float *out, uint rows, uint columns)
{
    // HOLE
    //| /* TODO(two_axes): the item's row and column, and its index in out */
    uint column = get_global_id(0), row = get_global_id(1);
    if (row < rows && column < columns)
        out[row * columns + column] = a[row] - @times@.0f * b[column];
    // END HOLE
}
