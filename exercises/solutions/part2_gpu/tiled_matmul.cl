// tiled_matmul: sixteen results per load.
//
// WHAT   Write the loop of `matmul_transposed`: a (m, k) times b (n, k)
//        transposed. Each result is the dot product of a row of `a` and a row
//        of `b`. The group of 16 x 16 items proceeds along `k` one tile at a
//        time: load a tile of `a` and one of `b`, with one element of each per
//        item, then add 16 products from these tiles.
// WHY    A group needs 16 rows of `a` and 16 of `b`. If every item loaded its
//        own rows, each element would be loaded 16 times.
// READ   The matmul ladder
// CHECK  cargo learn check tiled_matmul

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
    // END HOLE
    if (row < m && column < n)
        out[row * n + column] = sum;
}
