// Every item writes, also one that has no element.

kernel void two_axes(global const float *a, global const float *b,
                     global float *out, uint rows, uint columns)
{
    uint column = get_global_id(0), row = get_global_id(1);
    out[row * columns + column] = a[row] * b[column];
}
