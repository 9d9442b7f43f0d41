// The product of two matrices: a (m, k) x b (k, n) -> out (m, n). One item
// for each element of the result, at its row and column.
//
// Neighbors among the items stand below one another, so what they read and
// write at the same moment lies k or n elements apart.

// ANCHOR: naive
kernel void matmul1_naive(global const float *a, global const float *b,
                          global float *out, uint m, uint k, uint n)
{
    uint row = get_global_id(0);
    uint column = get_global_id(1);
    if (row < m && column < n) {
        float sum = 0.0f;
        for (uint i = 0; i < k; i++)
            sum += a[row * k + i] * b[i * n + column];
        out[row * n + column] = sum;
    }
}
// ANCHOR_END: naive
