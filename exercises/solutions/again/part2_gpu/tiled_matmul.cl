// tiled_matmul, again: the result is multiplied by a number.
//
// WHAT   Everything is as in the exercise, but each element of `out` is
//        @scale@ times as large.
// READ   The matmul ladder
// CHECK  cargo learn again tiled_matmul

#define TILE 16

kernel void matmul_transposed(global const float *a, global const float *b,
                              global float *out, uint m, uint k, uint n)
{
    local float a_tile[TILE][TILE];
    // A warp reads 16 rows of this tile at once, in one column. The extra cell
    // at the end of each row places them in 16 banks instead of two.
    local float b_tile[TILE][TILE + 1];
    uint x = get_local_id(0), y = get_local_id(1);
    uint top = get_group_id(1) * TILE, left = get_group_id(0) * TILE;
    uint row = top + y, column = left + x;

    float sum = 0.0f;
    // HOLE
    //| /* TODO(tiled_matmul): for each tile along k: load, wait, add, wait */
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
    sum *= @scale@f;
    // END HOLE
    if (row < m && column < n)
        out[row * n + column] = sum;
}
