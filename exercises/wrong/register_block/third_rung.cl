// Right numbers, and each number is loaded as often as in the third rung.

#define TILE 32
#define SIDE 16
#define BLOCK (TILE / SIDE)

kernel void matmul_block(global const float *a, global const float *b,
                         global float *out, uint m, uint k, uint n)
{
    local float a_tile[SIDE][SIDE];
    local float b_tile[SIDE][SIDE];
    uint x = get_local_id(0), y = get_local_id(1);
    uint top = get_group_id(1) * TILE, left = get_group_id(0) * TILE;

    for (uint i = 0; i < BLOCK; i++)
        for (uint j = 0; j < BLOCK; j++) {
            uint row = top + y + i * SIDE, column = left + x + j * SIDE;
            float sum = 0.0f;
            for (uint start = 0; start < k; start += SIDE) {
                uint across = start + x, down = start + y;
                a_tile[y][x] =
                    row < m && across < k ? a[row * k + across] : 0.0f;
                b_tile[y][x] =
                    down < k && column < n ? b[down * n + column] : 0.0f;
                barrier(CLK_LOCAL_MEM_FENCE);
                for (uint d = 0; d < SIDE; d++)
                    sum += a_tile[y][d] * b_tile[d][x];
                barrier(CLK_LOCAL_MEM_FENCE);
            }
            if (row < m && column < n)
                out[row * n + column] = sum;
        }
}
