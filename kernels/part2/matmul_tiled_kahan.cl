// The product of two matrices: a (m, k) x b (k, n) -> out (m, n). One item
// for each element of the result; a group computes a square tile of it.
//
// Along k the group walks in steps of one tile. In each step its items load a
// tile of a and one of b into local memory, an element each, and then every
// item reads its row and its column there, 16 elements of both.
//
// This is matmul3_tiled with one thing more, for long sums: what rounds away
// when the 16 products of a tile are added to the total is given to the next.

#define TILE 16

__attribute__((reqd_work_group_size(TILE, TILE, 1)))
kernel void matmul_tiled_kahan(global const float *a, global const float *b,
                              global float *out, uint m, uint k, uint n)
{
    local float a_tile[TILE][TILE];
    local float b_tile[TILE][TILE];
    uint x = get_local_id(0), y = get_local_id(1);
    uint column = get_global_id(0), row = get_global_id(1);

    float total = 0.0f, excess = 0.0f;
    for (uint start = 0; start < k; start += TILE) {
        // Past the edges a tile holds 0, which changes no sum. An item
        // without an element of the result loads all the same: every item of
        // a group has to reach every barrier.
        uint across = start + x, down = start + y;
        a_tile[y][x] = row < m && across < k ? a[row * k + across] : 0.0f;
        b_tile[y][x] = down < k && column < n ? b[down * n + column] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);

        // ANCHOR: kept
        float sum = 0.0f;
        for (uint i = 0; i < TILE; i++)
            sum += a_tile[y][i] * b_tile[i][x];
        float given = sum - excess, next = total + given;
        excess = isinf(next) ? 0.0f : next - total - given;
        total = next;
        // ANCHOR_END: kept
        // Nobody may load the next tile while another still reads this one.
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < m && column < n)
        out[row * n + column] = total;
}
