// A guard for the rows, and none for the columns: a spare item of one row
// writes to the beginning of the next.

kernel void matmul(global const float *a, global const float *b,
                   global float *out, uint m, uint k, uint n)
{
    uint column = get_global_id(0), row = get_global_id(1);
    if (row >= m)
        return;
    float sum = 0.0f;
    for (uint i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + column];
    out[row * n + column] = sum;
}
