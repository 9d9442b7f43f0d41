// The number of the row in the place of the number of the column.

kernel void add_row(global const float *a, global const float *row,
                    global float *out, uint columns, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i] + row[i / columns];
}
