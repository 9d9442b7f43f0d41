// tiled_matmul: sixteen results from one load.
//
// WHAT   Write the loop of `matmul_transposed`: a (m, k) times b (n, k)
//        transposed. Each result is the sum of a row of `a` times a row of
//        `b`, number by number. The group, 16 x 16 items, goes along `k` in
//        steps of one tile: load a tile of `a` and one of `b`, a number of
//        each by every item, then add 16 products from there.
// WHY    A group needs 16 rows of `a` and 16 of `b`. If every item fetched its
//        own, each number would be fetched 16 times.
// READ   The matmul ladder
// CHECK  cargo learn check tiled_matmul

#define TILE 16

kernel void matmul_transposed(global const float *a, global const float *b,
                              global float *out, uint m, uint k, uint n)
{
    local float a_tile[TILE][TILE];
    // A warp reads 16 rows of this tile at once, in one column: the spare cell
    // at the end of each row puts them into 16 banks instead of two.
    local float b_tile[TILE][TILE + 1];
    uint x = get_local_id(0), y = get_local_id(1);
    uint top = get_group_id(1) * TILE, left = get_group_id(0) * TILE;
    uint row = top + y, column = left + x;

    float sum = 0.0f;
    /* TODO(tiled_matmul): tile by tile along k: load, wait, add, wait */
    if (row < m && column < n)
        out[row * n + column] = sum;
}
