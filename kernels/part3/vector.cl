// A product with a single column: (batch, m, k) x (batch, k) -> (parts, batch,
// m). There is nothing to use twice, so this is a walk through a. A team of
// items has a row, and a group has a team for each of its rows: where
// neighbors in memory lie along k, the items of a team read side by side, and
// where they lie along m, a team is one item, and neighboring teams do.

#define MOST_ITEMS 256
#define AT_ONCE 8
#define FOURS_AT_ONCE 2

// A part of a row: `fours` is a constant where this is called.
ACC walk(global const T *a, int a_at, int a_step, global const T *b, int b_at,
         int b_step, uint to, uint u, uint team, bool fours)
{
    // What an addition rounds away is given to the next.
    if (fours) {
        FOUR(ACC) sum = 0.0f, excess = 0.0f;
        for (uint l = 4 * u; l < to; l += 4 * FOURS_AT_ONCE * team) {
            // All are asked for before the first is used.
            FOUR(ACC) products[FOURS_AT_ONCE];
            #pragma unroll
            for (uint i = 0; i < FOURS_AT_ONCE; i++) {
                uint at = l + 4 * i * team;
                products[i] = at < to ? LOAD4(a, a_at + at) * LOAD4(b, b_at + at)
                                      : (FOUR(ACC))(0.0f);
            }
            #pragma unroll
            for (uint i = 0; i < FOURS_AT_ONCE; i++) {
                FOUR(ACC) given = products[i] - excess, next = sum + given;
                excess = isinf(next) ? (FOUR(ACC))(0.0f) : next - sum - given;
                sum = next;
            }
        }
        return (sum.x + sum.y) + (sum.z + sum.w);
    }
    ACC sum = 0.0f, excess = 0.0f;
    for (uint l = u; l < to; l += AT_ONCE * team) {
        ACC products[AT_ONCE];
        #pragma unroll
        for (uint i = 0; i < AT_ONCE; i++) {
            int at = l + i * team;
            products[i] =
                at < (int)to ? (ACC)LOAD(a, a_at + at * a_step)
                                   * LOAD(b, b_at + at * b_step)
                             : 0.0f;
        }
        #pragma unroll
        for (uint i = 0; i < AT_ONCE; i++) {
            ACC given = products[i] - excess, next = sum + given;
            excess = isinf(next) ? 0.0f : next - sum - given;
            sum = next;
        }
    }
    return sum;
}

// strides: batch, row and column of a; batch and row of the column; how many
// matrices there are, and how much of k is one part.
void product(global const T *a, uint a_offset, global const T *b,
             uint b_offset, int8 strides, global OUT *out, uint m, uint k,
             local ACC *sums, bool fours)
{
    uint u = get_local_id(0), team = get_local_size(0);
    uint v = get_local_id(1), rows = get_local_size(1);
    uint item = v * team + u, batches = strides.s5, length = strides.s6;
    uint parts = (k - 1) / length + 1;
    uint walls = (m - 1) / rows + 1;
    for (uint at = get_group_id(0); at < batches * parts * walls;
         at += get_num_groups(0)) {
        uint row = at % walls * rows + v, which = at / walls;
        uint batch = which % batches, from = which / batches * length;
        uint to = row < m ? min(from + length, k) : from;
        int a_at = (int)a_offset + (int)batch * strides.s0
                   + (int)row * strides.s1 + (int)from * strides.s2;
        int b_at = (int)b_offset + (int)batch * strides.s3
                   + (int)from * strides.s4;
        sums[item] = walk(a, a_at, strides.s2, b, b_at, strides.s4, to - from,
                          u, team, fours);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint width = team / 2; width > 0; width /= 2) {
            if (u < width)
                sums[item] += sums[item + width];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (u == 0 && row < m)
            STORE(out, which * m + row, sums[item]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

kernel void product_vector(global const T *a, uint a_offset,
                           global const T *b, uint b_offset, int8 strides,
                           global OUT *out, uint m, uint k)
{
    local ACC sums[MOST_ITEMS];
    product(a, a_offset, b, b_offset, strides, out, m, k, sums, false);
}

// The same of rows, parts and a column of whole fours that lie together.
kernel void product_vector_fours(global const T *a, uint a_offset,
                                 global const T *b, uint b_offset,
                                 int8 strides, global OUT *out, uint m, uint k)
{
    local ACC sums[MOST_ITEMS];
    product(a, a_offset, b, b_offset, strides, out, m, k, sums, true);
}
