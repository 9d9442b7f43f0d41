// stretch_a_row: add a row to each row of a matrix.
//
// WHAT   `a` is a matrix (rows, columns), and `row` has one element per
//        column. Add it to each row of `a`, and write the matrix to `out`.
// WHY    In memory the rows follow each other, and an item knows only its
//        index i among all elements. The row is not copied: many items read
//        the same element of it.
// READ   A tensor on the GPU
// CHECK  cargo learn check stretch_a_row

kernel void stretch_a_row(global const float *a, global const float *row,
                          global float *out, uint rows, uint columns)
{
    // HOLE
    //| /* TODO(stretch_a_row): which column is element i in? */
    uint i = get_global_id(0);
    if (i < rows * columns)
        out[i] = a[i] + row[i % columns];
    // END HOLE
}
