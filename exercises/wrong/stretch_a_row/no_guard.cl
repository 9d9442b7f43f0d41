// Every item writes, also one that has no element.

kernel void stretch_a_row(global const float *a, global const float *row,
                          global float *out, uint rows, uint columns)
{
    uint i = get_global_id(0);
    out[i] = a[i] + row[i % columns];
}
