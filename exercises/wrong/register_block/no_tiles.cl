// Right numbers, in blocks, and every item loads its own.

#define TILE 32
#define SIDE 16
#define BLOCK (TILE / SIDE)

kernel void matmul_block(global const float *a, global const float *b,
                         global float *out, uint m, uint k, uint n)
{
    uint x = get_local_id(0), y = get_local_id(1);
    uint top = get_group_id(1) * TILE, left = get_group_id(0) * TILE;

    float sum[BLOCK][BLOCK] = {{0.0f}};
    for (uint d = 0; d < k; d++) {
        float a_values[BLOCK], b_values[BLOCK];
        for (uint i = 0; i < BLOCK; i++) {
            uint row = top + y + i * SIDE, column = left + x + i * SIDE;
            a_values[i] = row < m ? a[row * k + d] : 0.0f;
            b_values[i] = column < n ? b[d * n + column] : 0.0f;
        }
        for (uint i = 0; i < BLOCK; i++)
            for (uint j = 0; j < BLOCK; j++)
                sum[i][j] += a_values[i] * b_values[j];
    }
    for (uint i = 0; i < BLOCK; i++)
        for (uint j = 0; j < BLOCK; j++) {
            uint row = top + y + i * SIDE, column = left + x + j * SIDE;
            if (row < m && column < n)
                out[row * n + column] = sum[i][j];
        }
}
