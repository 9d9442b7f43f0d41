// A matrix by a vector: a (m, k), v (k) -> out (m). One item for each row,
// and each walks along its row.
//
// In the same step neighbors among the items read numbers that stand below
// one another in the matrix, and so lie k apart in memory.

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
