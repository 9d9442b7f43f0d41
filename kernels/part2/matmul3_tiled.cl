// The product of two matrices: a (m, k) x b (k, n) -> out (m, n). One item
// for each element of the result; a group computes a square tile of it.
//
// Along k the group walks in steps of one tile. In each step its items load a
// tile of a and one of b into local memory, an element each, and then every
// item reads its row and its column there, 16 elements of both.

#define TILE 16

// ANCHOR: tiled
__attribute__((reqd_work_group_size(TILE, TILE, 1)))
kernel void matmul3_tiled(global const float *a, global const float *b,
                          global float *out, uint m, uint k, uint n)
{
    local float a_tile[TILE][TILE];
    local float b_tile[TILE][TILE];
    uint x = get_local_id(0), y = get_local_id(1);
    uint column = get_global_id(0), row = get_global_id(1);

    float sum = 0.0f;
    for (uint start = 0; start < k; start += TILE) {
        // Past the edges a tile holds 0, which changes no sum. An item
        // without an element of the result loads all the same: every item of
        // a group has to reach every barrier.
        uint across = start + x, down = start + y;
        a_tile[y][x] = row < m && across < k ? a[row * k + across] : 0.0f;
        b_tile[y][x] = down < k && column < n ? b[down * n + column] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);

        for (uint i = 0; i < TILE; i++)
            sum += a_tile[y][i] * b_tile[i][x];
        // Nobody may load the next tile while another still reads this one.
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < m && column < n)
        out[row * n + column] = sum;
}
// ANCHOR_END: tiled
