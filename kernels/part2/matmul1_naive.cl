// Matrix multiplication: a (m, k) x b (k, n) -> out (m, n). One work-item per
// element of the result.
//
// Adjacent items compute vertically adjacent elements, so the addresses that
// they read and write at the same time are k or n elements apart.

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
