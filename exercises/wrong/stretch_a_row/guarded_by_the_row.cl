// The guard of the row, for the matrix.

kernel void stretch_a_row(global const float *a, global const float *row,
                          global float *out, uint rows, uint columns)
{
    uint i = get_global_id(0);
    if (i < columns)
        out[i] = a[i] + row[i % columns];
}
