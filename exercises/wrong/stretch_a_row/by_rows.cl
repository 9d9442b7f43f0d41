// The length of the other axis.

kernel void stretch_a_row(global const float *a, global const float *row,
                          global float *out, uint rows, uint columns)
{
    uint i = get_global_id(0);
    if (i < rows * columns)
        out[i] = a[i] + row[i % rows];
}
