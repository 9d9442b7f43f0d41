// Right numbers, and every item loads for itself.

#define TILE 16

kernel void matmul_transposed(global const float *a, global const float *b,
                              global float *out, uint m, uint k, uint n)
{
    local float a_tile[TILE][TILE];
    local float b_tile[TILE][TILE];
    uint x = get_local_id(0), y = get_local_id(1);
    uint top = get_group_id(1) * TILE, left = get_group_id(0) * TILE;
    uint row = top + y, column = left + x;

    float sum = 0.0f;
    if (row < m && column < n)
        for (uint i = 0; i < k; i++)
            sum += a[row * k + i] * b[column * k + i];
    if (row < m && column < n)
        out[row * n + column] = sum;
}
