// The place exists, and yet the column may not.

kernel void two_axes(global const float *a, global const float *b,
                     global float *out, uint rows, uint columns)
{
    uint column = get_global_id(0), row = get_global_id(1);
    uint place = row * columns + column;
    if (place < rows * columns)
        out[place] = a[row] * b[column];
}
