// Right numbers, and each item reads its whole row of a, by a pointer.

#define TILE 16

kernel void matmul_transposed(global const float *a, global const float *b,
                              global float *out, uint m, uint k, uint n)
{
    // A warp reads 16 rows of this tile at once, in one column: the spare cell
    // at the end of each row puts them into 16 banks instead of two.
    local float b_tile[TILE][TILE + 1];
    uint x = get_local_id(0), y = get_local_id(1);
    uint top = get_group_id(1) * TILE, left = get_group_id(0) * TILE;
    uint row = top + y, column = left + x;

    global const float *mine = a + row * k;
    float sum = 0.0f;
    for (uint start = 0; start < k; start += TILE) {
        uint across = start + x;
        b_tile[y][x] =
            left + y < n && across < k ? b[(left + y) * k + across] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);

        if (row < m)
            for (uint i = 0; i < TILE && start + i < k; i++)
                sum += mine[start + i] * b_tile[x][i];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < m && column < n)
        out[row * n + column] = sum;
}
