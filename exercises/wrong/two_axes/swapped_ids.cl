// The number along axis 0 counts along a row.

kernel void two_axes(global const float *a, global const float *b,
                     global float *out, uint rows, uint columns)
{
    uint row = get_global_id(0), column = get_global_id(1);
    if (row < rows && column < columns)
        out[row * columns + column] = a[row] * b[column];
}
