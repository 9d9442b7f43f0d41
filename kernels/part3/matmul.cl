// Multiplies batches of matrices: a (batches, m, k), b (batches, k, n) -> out
// (batches, m, n). One work-item per element of out.
kernel void plain_matmul(global const float *a, global const float *b,
                         global float *out, uint batches, uint m, uint k,
                         uint n)
{
    uint column = get_global_id(0);
    uint row = get_global_id(1);
    uint batch = get_global_id(2);
    if (batch >= batches || row >= m || column >= n)
        return;
    float sum = 0.0f;
    for (uint i = 0; i < k; i++)
        sum += a[(batch * m + row) * k + i] * b[(batch * k + i) * n + column];
    out[(batch * m + row) * n + column] = sum;
}
