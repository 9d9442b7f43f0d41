// The columns lie one behind the other.

kernel void two_axes(global const float *a, global const float *b,
                     global float *out, uint rows, uint columns)
{
    uint column = get_global_id(0), row = get_global_id(1);
    if (row < rows && column < columns)
        out[column * rows + row] = a[row] * b[column];
}
