// register_block: four results per item.
//
// WHAT   Write `matmul_block`: a (m, k) times b (k, n). A group of 16 x 16
//        items computes a tile of 32 x 32 results, so each item has 2 x 2 of
//        them: in rows `top + y` and `top + y + 16`, and in columns `left + x`
//        and `left + x + 16`. Along `k` the group proceeds in steps of 16, as
//        in the third rung.
// WHY    An element that is loaded from global memory serves all results in
//        its row or column of the tile: 16 in the third rung, 32 here. And two
//        elements of a column of `a` and two of a row of `b`, held in
//        registers, are enough for four products.
// MIND   A tile has 512 elements, two per item. Beyond the matrix it must
//        contain 0, and nothing may be written there. The four sums are kept
//        from the first step to the last.
// READ   A block in registers
// CHECK  cargo learn check register_block

#define TILE 32
#define DEPTH 16            // of the tiles along k
#define SIDE 16             // items of a group, in both dimensions
#define BLOCK (TILE / SIDE) // results of an item, in both dimensions

kernel void matmul_block(global const float *a, global const float *b,
                         global float *out, uint m, uint k, uint n)
{
    local float a_tile[TILE][DEPTH];
    local float b_tile[DEPTH][TILE];
    uint x = get_local_id(0), y = get_local_id(1), item = y * SIDE + x;
    uint top = get_group_id(1) * TILE, left = get_group_id(0) * TILE;

    float sum[BLOCK][BLOCK] = {{0.0f}};
    // HOLE
    //| /* TODO(register_block): fill tiles, add products, write the results */
    for (uint start = 0; start < k; start += DEPTH) {
        for (uint i = item; i < TILE * DEPTH; i += SIDE * SIDE) {
            uint row = top + i / DEPTH, across = start + i % DEPTH;
            uint down = start + i / TILE, column = left + i % TILE;
            a_tile[i / DEPTH][i % DEPTH] =
                row < m && across < k ? a[row * k + across] : 0.0f;
            b_tile[i / TILE][i % TILE] =
                down < k && column < n ? b[down * n + column] : 0.0f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint d = 0; d < DEPTH; d++) {
            float a_values[BLOCK], b_values[BLOCK];
            for (uint i = 0; i < BLOCK; i++) {
                a_values[i] = a_tile[y + i * SIDE][d];
                b_values[i] = b_tile[d][x + i * SIDE];
            }
            for (uint i = 0; i < BLOCK; i++)
                for (uint j = 0; j < BLOCK; j++)
                    sum[i][j] += a_values[i] * b_values[j];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = 0; i < BLOCK; i++)
        for (uint j = 0; j < BLOCK; j++) {
            uint row = top + y + i * SIDE, column = left + x + j * SIDE;
            if (row < m && column < n)
                out[row * n + column] = sum[i][j];
        }
    // END HOLE
}
