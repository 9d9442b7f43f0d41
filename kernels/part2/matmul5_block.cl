// Matrix multiplication: a (m, k) x b (k, n) -> out (m, n). One work-item per
// 8 x 8 elements of the result; a group computes a square tile of it.
//
// 8 values of a and 8 of b, loaded into registers, give 64 multiply-adds. The
// elements of an item are 16 apart, so that adjacent items read adjacent
// elements of the tiles.

// ANCHOR: whole
#define TILE 128
#define DEPTH 16            // size of the tiles of a and b along k
#define SIDE 16             // items of a group, in each dimension
#define BLOCK (TILE / SIDE) // elements of an item, in each dimension

__attribute__((reqd_work_group_size(SIDE, SIDE, 1)))
kernel void matmul5_block(global const float *a, global const float *b,
                          global float *out, uint m, uint k, uint n)
{
    local float a_tile[TILE][DEPTH];
    local float b_tile[DEPTH][TILE];
    uint x = get_local_id(0), y = get_local_id(1);
    uint item = y * SIDE + x;
    uint top = get_group_id(1) * TILE, left = get_group_id(0) * TILE;

    float sum[BLOCK][BLOCK] = {{0.0f}};
    for (uint start = 0; start < k; start += DEPTH) {
        // Each tile has 2048 elements, 8 for each of the 256 items.
        #pragma unroll
        for (uint i = item; i < TILE * DEPTH; i += SIDE * SIDE) {
            uint a_y = i / DEPTH, a_x = i % DEPTH;
            uint row = top + a_y, across = start + a_x;
            a_tile[a_y][a_x] =
                row < m && across < k ? a[row * k + across] : 0.0f;
            uint b_y = i / TILE, b_x = i % TILE;
            uint down = start + b_y, column = left + b_x;
            b_tile[b_y][b_x] =
                down < k && column < n ? b[down * n + column] : 0.0f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        // ANCHOR: block
        for (uint d = 0; d < DEPTH; d++) {
            float a_values[BLOCK], b_values[BLOCK];
            #pragma unroll
            for (uint i = 0; i < BLOCK; i++) {
                a_values[i] = a_tile[y + i * SIDE][d];
                b_values[i] = b_tile[d][x + i * SIDE];
            }
            #pragma unroll
            for (uint i = 0; i < BLOCK; i++)
                #pragma unroll
                for (uint j = 0; j < BLOCK; j++)
                    sum[i][j] += a_values[i] * b_values[j];
        }
        // ANCHOR_END: block
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    #pragma unroll
    for (uint i = 0; i < BLOCK; i++)
        #pragma unroll
        for (uint j = 0; j < BLOCK; j++) {
            uint row = top + y + i * SIDE, column = left + x + j * SIDE;
            if (row < m && column < n)
                out[row * n + column] = sum[i][j];
        }
}
// ANCHOR_END: whole
