// register_block, again: the result is multiplied by a number.
//
// WHAT   Everything is as in the exercise, but each element of `out` is
//        @scale@ times as large.
// READ   A block in registers
// CHECK  cargo learn again register_block

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
                out[row * n + column] = @scale@f * sum[i][j];
        }
    // END HOLE
}
