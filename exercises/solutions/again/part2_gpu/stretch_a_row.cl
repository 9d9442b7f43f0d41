// stretch_a_row, again: add a column to each column of a matrix.
//
// WHAT   `a` is a matrix (rows, columns), and `column` has one element per
//        row. Add it to each column of `a`, and write the matrix to `out`.
// READ   A tensor on the GPU
// CHECK  cargo learn again stretch_a_row

kernel void stretch_a_row(global const float *a, global const float *column,
                          global float *out, uint rows, uint columns)
{
    // HOLE
    //| /* TODO(stretch_a_row): which row is element i in? */
    uint i = get_global_id(0);
    if (i < rows * columns)
        out[i] = a[i] + column[i / columns];
    // END HOLE
}
