// Matrix-vector product: a (m, k), v (k) -> out (m). One work-item per row;
// each walks along its row.
//
// In each step adjacent items read vertically adjacent elements of the matrix,
// which are k elements apart in memory.

// ANCHOR: matvec-rows
kernel void matvec_rows(global const float *a, global const float *v,
                        global float *out, uint m, uint k)
{
    uint row = get_global_id(0);
    if (row < m) {
        float sum = 0.0f;
        for (uint i = 0; i < k; i++)
            sum += a[row * k + i] * v[i];
        out[row] = sum;
    }
}
// ANCHOR_END: matvec-rows
