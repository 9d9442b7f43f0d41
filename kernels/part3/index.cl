// Selects rows of a matrix by index, and the gradient of that.

// a (rows, width), indices (count) -> out (count, width): row i of out is the
// row of a at indices[i]. One work-item per element of out.
kernel void plain_index_select(global const float *a, uint rows, uint width,
                               global const uint *indices, uint count,
                               global float *out)
{
    uint column = get_global_id(0);
    uint i = get_global_id(1);
    if (i >= count || column >= width)
        return;
    uint row = indices[i];
    if (row < rows)
        out[i * width + column] = a[row * width + column];
}

// a (count, width), indices (count) -> out (rows, width): row i of a is added
// to the row of out at indices[i].
//
// One work-item per element of out. It visits all indices and adds the rows
// that belong to it, so no two items write to the same address.
kernel void plain_index_add(global const float *a, uint count, uint width,
                            global const uint *indices, uint rows,
                            global float *out)
{
    uint column = get_global_id(0);
    uint row = get_global_id(1);
    if (row >= rows || column >= width)
        return;
    float sum = 0.0f;
    for (uint i = 0; i < count; i++)
        if (indices[i] == row)
            sum += a[i * width + column];
    out[row * width + column] = sum;
}
