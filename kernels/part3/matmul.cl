// (batch, m, k) x (batch, k, n) -> (batch, m, n), both operands with any
// strides: what is transposed or broadcast is read where it lies.
//
// A group of 16 x 16 items computes a tile of as many elements. It walks
// along k in steps of 16, and each element that it loads to local memory is
// used 16 times there. What rounds away when the 16 products of a step are
// added to the total is given to the next, so that a long sum errs no more
// than a short one.

#define TILE 16

// strides: batch, row and column of a, then of b; and how many matrices there
// are. A device runs so many items and no more, so a group may have several.
__attribute__((reqd_work_group_size(TILE, TILE, 1)))
kernel void batch_matmul(global const T *a, uint a_offset,
                           global const T *b, uint b_offset,
                           int8 strides, global T *out, uint m, uint k,
                           uint n)
{
    local T a_tile[TILE][TILE];
    local T b_tile[TILE][TILE + 1];
    uint x = get_local_id(0), y = get_local_id(1);
    uint column = get_global_id(0), row = get_global_id(1);
    uint batches = strides.s6;
    for (uint batch = get_group_id(2); batch < batches;
         batch += get_num_groups(2)) {
        int a_at = (int)a_offset + (int)batch * strides.s0;
        int b_at = (int)b_offset + (int)batch * strides.s3;

        ACC total = 0.0f, excess = 0.0f;
        for (uint from = 0; from < k; from += TILE) {
            // What lies outside the matrices is 0 and adds nothing.
            int l = from + x, o = from + y;
            a_tile[y][x] = row < m && l < k
                ? a[a_at + (int)row * strides.s1 + l * strides.s2] : 0.0f;
            b_tile[y][x] = o < k && column < n
                ? b[b_at + o * strides.s4 + (int)column * strides.s5] : 0.0f;
            barrier(CLK_LOCAL_MEM_FENCE);

            ACC sum = 0.0f;
            for (uint i = 0; i < TILE; i++)
                sum += a_tile[y][i] * b_tile[i][x];
            ACC given = sum - excess, next = total + given;
            excess = isinf(next) ? 0.0f : next - total - given;
            total = next;
            barrier(CLK_LOCAL_MEM_FENCE);
        }

        if (row < m && column < n)
            out[(batch * m + row) * n + column] = total;
    }
}
