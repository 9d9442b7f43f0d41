// Matrix multiplication: a (m, k) x b (k, n) -> out (m, n). One work-item per
// element of the result; a group computes a square tile of it.
//
// The group steps along k one tile at a time. In each step every item loads
// one element of a tile of a and one of a tile of b into local memory. Then
// every item reads one row of the first tile and one column of the second, 16
// elements of each.
//
// This is matmul3_tiled plus compensated (Kahan) summation for long sums: when
// the 16 products of a tile are added to the total, the rounding error is
// carried into the next addition.

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
        // Past the edges a tile holds 0, which changes no sum. Items outside
        // the result load too, because every item of a group must reach every
        // barrier.
        uint across = start + x, down = start + y;
        a_tile[y][x] = row < m && across < k ? a[row * k + across] : 0.0f;
        b_tile[y][x] = down < k && column < n ? b[down * n + column] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);

        float sum = 0.0f;
        for (uint i = 0; i < TILE; i++)
            sum += a_tile[y][i] * b_tile[i][x];
        float corrected = sum - excess, next = total + corrected;
        excess = isinf(next) ? 0.0f : next - total - corrected;
        total = next;
        // No item may load the next tile while another still reads this one.
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < m && column < n)
        out[row * n + column] = total;
}
