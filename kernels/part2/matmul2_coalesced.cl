// Matrix multiplication: a (m, k) x b (k, n) -> out (m, n). One work-item per
// element of the result.
//
// Adjacent items compute horizontally adjacent elements: they read the same
// element of a and adjacent elements of b, which the device fetches with one
// memory transaction (coalescing).

// ANCHOR: coalesced
kernel void matmul2_coalesced(global const float *a, global const float *b,
                              global float *out, uint m, uint k, uint n)
{
    uint column = get_global_id(0);
    uint row = get_global_id(1);
    if (row < m && column < n) {
        float sum = 0.0f;
        for (uint i = 0; i < k; i++)
            sum += a[row * k + i] * b[i * n + column];
        out[row * n + column] = sum;
    }
}
// ANCHOR_END: coalesced
