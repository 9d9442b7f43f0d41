// Reductions: a (rows, columns) -> out (rows). One work-item per row.

// The sum of each row; 0 for a row without elements.
kernel void plain_sum(global const float *a, uint columns, global float *out,
                      uint rows)
{
    uint row = get_global_id(0);
    if (row >= rows)
        return;
    float sum = 0.0f;
    for (uint column = 0; column < columns; column++)
        sum += a[row * columns + column];
    out[row] = sum;
}

// The largest element of each row; NaN if any element is NaN.
kernel void plain_max(global const float *a, uint columns, global float *out,
                      uint rows)
{
    uint row = get_global_id(0);
    if (row >= rows)
        return;
    float most = -INFINITY;
    for (uint column = 0; column < columns; column++) {
        float x = a[row * columns + column];
        // If `most` is NaN, the comparison is false and it stays NaN.
        if (x > most || isnan(x))
            most = x;
    }
    out[row] = most;
}
