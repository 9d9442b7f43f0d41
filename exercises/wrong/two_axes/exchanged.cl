// The row takes from b, and the column from a.

kernel void two_axes(global const float *a, global const float *b,
                     global float *out, uint rows, uint columns)
{
    uint column = get_global_id(0), row = get_global_id(1);
    if (row < rows && column < columns)
        out[row * columns + column] = a[column] * b[row];
}
