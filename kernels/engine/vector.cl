// Matrix-vector multiplication: (batch, m, k) x (batch, k) -> (parts, batch,
// m).
//
//     out[part, batch, row] =
//         sum over l in part of a[batch, row, l] * b[batch, l]
//
// No element of a is used twice, so reading a takes all the time. A team of
// items processes a row, and a group has several teams. If a is contiguous
// along k, the items of a team read adjacent elements. If a is contiguous
// along m, a team is one item, and adjacent teams read adjacent elements.

#define MAX_GROUP_ITEMS 256
#define LOADS_IN_FLIGHT 8
#define FLOAT4S_IN_FLIGHT 2

// Sums a part of a row. `fours` is a constant at each call.
ACC sum_part(global const T *a, int a_index, int a_step, global const T *b,
             int b_index, int b_step, uint to, uint u, uint team, bool fours)
{
    // The rounding error of each addition is carried into the next.
    if (fours) {
        FOUR(ACC) sum = 0.0f, excess = 0.0f;
        for (uint l = 4 * u; l < to; l += 4 * FLOAT4S_IN_FLIGHT * team) {
            // All loads are issued before the first result is used.
            FOUR(ACC) products[FLOAT4S_IN_FLIGHT];
            #pragma unroll
            for (uint i = 0; i < FLOAT4S_IN_FLIGHT; i++) {
                uint index = l + 4 * i * team;
                products[i] = index < to
                    ? LOAD4(a, a_index + index) * LOAD4(b, b_index + index)
                    : (FOUR(ACC))(0.0f);
            }
            #pragma unroll
            for (uint i = 0; i < FLOAT4S_IN_FLIGHT; i++) {
                FOUR(ACC) term = products[i] - excess, next = sum + term;
                excess = isinf(next) ? (FOUR(ACC))(0.0f) : next - sum - term;
                sum = next;
            }
        }
        return (sum.x + sum.y) + (sum.z + sum.w);
    }
    ACC sum = 0.0f, excess = 0.0f;
    for (uint l = u; l < to; l += LOADS_IN_FLIGHT * team) {
        ACC products[LOADS_IN_FLIGHT];
        #pragma unroll
        for (uint i = 0; i < LOADS_IN_FLIGHT; i++) {
            int index = l + i * team;
            products[i] =
                index < (int)to ? (ACC)LOAD(a, a_index + index * a_step)
                                   * LOAD(b, b_index + index * b_step)
                             : 0.0f;
        }
        #pragma unroll
        for (uint i = 0; i < LOADS_IN_FLIGHT; i++) {
            ACC term = products[i] - excess, next = sum + term;
            excess = isinf(next) ? 0.0f : next - sum - term;
            sum = next;
        }
    }
    return sum;
}

// strides: batch, row and column of a; batch and row of the vector; the number
// of matrices, and the length of a part of k.
void product(global const T *a, uint a_offset, global const T *b,
             uint b_offset, int8 strides, global OUT *out, uint m, uint k,
             local ACC *sums, bool fours)
{
    uint u = get_local_id(0), team = get_local_size(0);
    uint v = get_local_id(1), rows = get_local_size(1);
    uint item = v * team + u, batches = strides.s5, length = strides.s6;
    uint parts = (k - 1) / length + 1;
    uint row_groups = (m - 1) / rows + 1;
    for (uint index = get_group_id(0); index < batches * parts * row_groups;
         index += get_num_groups(0)) {
        uint row = index % row_groups * rows + v, task = index / row_groups;
        uint batch = task % batches, from = task / batches * length;
        uint to = row < m ? min(from + length, k) : from;
        int a_index = (int)a_offset + (int)batch * strides.s0
                   + (int)row * strides.s1 + (int)from * strides.s2;
        int b_index = (int)b_offset + (int)batch * strides.s3
                   + (int)from * strides.s4;
        sums[item] = sum_part(a, a_index, strides.s2, b, b_index, strides.s4,
                              to - from, u, team, fours);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint width = team / 2; width > 0; width /= 2) {
            if (u < width)
                sums[item] += sums[item + width];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (u == 0 && row < m)
            STORE(out, task * m + row, sums[item]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

kernel void product_vector(global const T *a, uint a_offset,
                           global const T *b, uint b_offset, int8 strides,
                           global OUT *out, uint m, uint k)
{
    local ACC sums[MAX_GROUP_ITEMS];
    product(a, a_offset, b, b_offset, strides, out, m, k, sums, false);
}

// The same for contiguous rows, parts and vectors whose lengths are multiples
// of 4.
kernel void product_vector_fours(global const T *a, uint a_offset,
                                 global const T *b, uint b_offset,
                                 int8 strides, global OUT *out, uint m, uint k)
{
    local ACC sums[MAX_GROUP_ITEMS];
    product(a, a_offset, b, b_offset, strides, out, m, k, sums, true);
}
