// Matrix multiplication: a (m, k) x b (k, n) -> out (m, n). One work-item per
// 16 vertically adjacent elements of the result; a group computes a square
// tile of it.
//
// A value of b that an item loads from local memory is used for all 16
// elements: it stays in a register, and so do the 16 sums.

// ANCHOR: whole
#define TILE 64
#define DEPTH 16             // size of the tiles of a and b along k
#define COLUMN 16            // elements per item
#define DOWN (TILE / COLUMN) // items of a group in the vertical dimension

__attribute__((reqd_work_group_size(TILE, DOWN, 1)))
kernel void matmul4_column(global const float *a, global const float *b,
                           global float *out, uint m, uint k, uint n)
{
    local float a_tile[TILE][DEPTH];
    local float b_tile[DEPTH][TILE];
    uint x = get_local_id(0), y = get_local_id(1);
    uint top = get_group_id(1) * TILE, left = get_group_id(0) * TILE;

    float sum[COLUMN] = {0.0f};
    for (uint start = 0; start < k; start += DEPTH) {
        // Each tile has 1024 elements, 4 for each of the 256 items.
        for (uint i = y * TILE + x; i < TILE * DEPTH; i += TILE * DOWN) {
            uint a_y = i / DEPTH, a_x = i % DEPTH;
            uint b_y = i / TILE, b_x = i % TILE;
            uint row = top + a_y, across = start + a_x;
            uint down = start + b_y, column = left + b_x;
            a_tile[a_y][a_x] =
                row < m && across < k ? a[row * k + across] : 0.0f;
            b_tile[b_y][b_x] =
                down < k && column < n ? b[down * n + column] : 0.0f;
        }
        barrier(CLK_LOCAL_MEM_FENCE);

        // ANCHOR: column
        for (uint d = 0; d < DEPTH; d++) {
            float b_value = b_tile[d][x];
            // Registers have no addresses: the compiler can keep the sums in
            // registers only if it knows each index.
            #pragma unroll
            for (uint i = 0; i < COLUMN; i++)
                sum[i] += a_tile[y * COLUMN + i][d] * b_value;
        }
        // ANCHOR_END: column
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    #pragma unroll
    for (uint i = 0; i < COLUMN; i++) {
        uint row = top + y * COLUMN + i, column = left + x;
        if (row < m && column < n)
            out[row * n + column] = sum[i];
    }
}
// ANCHOR_END: whole
