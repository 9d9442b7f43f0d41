// two_axes: an item has a row and a column.
//
// WHAT   Write a multiplication table: in `out` (rows, columns) the number at
//        row r and column c is `a[r] * b[c]`.
// WHY    The launch has two dimensions, so an item has two numbers:
//        get_global_id(0) counts along a row, get_global_id(1) counts the rows.
//        Memory has one, and the rows of `out` lie there one behind the other.
// MIND   Only whole groups of 16 x 16 exist, along both axes.
// READ   A tensor on the GPU
// CHECK  cargo learn check two_axes

kernel void two_axes(global const float *a, global const float *b,
                     global float *out, uint rows, uint columns)
{
    /* TODO(two_axes): row and column of this item, and its place in out */
}
