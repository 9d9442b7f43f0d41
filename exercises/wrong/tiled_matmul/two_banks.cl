// Right numbers, and a column of the tile of b lies in two banks.

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
    for (uint start = 0; start < k; start += TILE) {
        uint across = start + x;
        a_tile[y][x] = row < m && across < k ? a[row * k + across] : 0.0f;
        b_tile[y][x] =
            left + y < n && across < k ? b[(left + y) * k + across] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint i = 0; i < TILE; i++)
            sum += a_tile[y][i] * b_tile[x][i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < m && column < n)
        out[row * n + column] = sum;
}
