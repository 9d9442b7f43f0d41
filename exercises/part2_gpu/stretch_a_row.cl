// stretch_a_row: a row is added to each row of a matrix.
//
// WHAT   `a` is a matrix (rows, columns), and `row` has a number for each of its
//        columns. Add it to each row of `a`, and write the matrix to `out`.
// WHY    In memory the rows lie one behind the other, and an item knows only
//        its number i among all elements. The row is copied nowhere: many
//        items read the same number of it.
// READ   A tensor on the GPU
// CHECK  cargo learn check stretch_a_row

kernel void stretch_a_row(global const float *a, global const float *row,
                          global float *out, uint rows, uint columns)
{
    /* TODO(stretch_a_row): in which column stands element i? */
}
