// The multiplication of product.cl for small results with long sums, such as
// the gradient of a convolution's filters:
//
//     out[row, column] = sum over l of a[row, l] * b[l, column]
//
// 1. The items of a group split k: each adds every GROUP-th product, so that
//    adjacent items read adjacent elements.
// 2. An item has a BLOCK x BLOCK block of the result in registers. At the end
//    the group adds the blocks of its items.
//
// The host limits the length of a part, which bounds the rounding error.

#define GROUP 256
// The side of an item's block.
#define BLOCK 8
// Number of items that add up the sums of all items for one result.
#define ADDERS (GROUP / BLOCK)

// The offset of index `i` of a line that is a view of three axes with sizes
// .., n1, n2 and strides s0, s1, s2.
#define OFFSET(i, n1, n2, s0, s1, s2)                                       \
    ((i) % (n2) * (s2) + (i) / (n2) % (n1) * (s1) + (i) / (n2) / (n1) * (s0))

// For the arguments see product.cl.
__attribute__((reqd_work_group_size(GROUP, 1, 1)))
kernel void product_long_sums(
    global const T *a, uint a_offset, int8 a_to, global const T *b,
    uint b_offset, int8 b_to, int8 sizes, global OUT *out, int m, int k, int n)
{
    local ACC row[BLOCK][GROUP], square[BLOCK * BLOCK][ADDERS + 1];
    int item = get_local_id(0);
    int top = get_group_id(1) * BLOCK, left = get_group_id(0) * BLOCK;
    int batches = sizes.s6, length = sizes.s7;
    int parts = (k - 1) / length + 1;

    // Past the end of the result the last line is read again; those sums are
    // not written.
    int a_lines[BLOCK], b_lines[BLOCK];
    #pragma unroll
    for (int i = 0; i < BLOCK; i++) {
        int line = min(top + i, m - 1), column = min(left + i, n - 1);
        a_lines[i] = (int)a_offset
                     + OFFSET(line, sizes.s0, sizes.s1, a_to.s0, a_to.s1,
                              a_to.s2);
        b_lines[i] = (int)b_offset + OFFSET(column, sizes.s2, sizes.s3, b_to.s0,
                                         b_to.s1, b_to.s2);
    }

    for (int task = get_group_id(2); task < batches * parts;
         task += get_num_groups(2)) {
        int part = task / batches, batch = task - part * batches;
        int from = part * length;
        int to = min(from + length, k);
        global const T *a_batch = a + batch * a_to.s6;
        global const T *b_batch = b + batch * b_to.s6;

        ACC sum[BLOCK][BLOCK];
        #pragma unroll
        for (int i = 0; i < BLOCK; i++)
            #pragma unroll
            for (int j = 0; j < BLOCK; j++)
                sum[i][j] = 0.0f;
        for (int l = from + item; l < to; l += GROUP) {
            int quotient = l / sizes.s5, w = quotient / sizes.s4;
            int u = l - quotient * sizes.s5, v = quotient - w * sizes.s4;
            int a_index = w * a_to.s3 + v * a_to.s4 + u * a_to.s5;
            int b_index = w * b_to.s3 + v * b_to.s4 + u * b_to.s5;
            ACC a_values[BLOCK], b_values[BLOCK];
            #pragma unroll
            for (int i = 0; i < BLOCK; i++)
                a_values[i] = LOAD(a_batch, a_index + a_lines[i]);
            #pragma unroll
            for (int j = 0; j < BLOCK; j++)
                b_values[j] = LOAD(b_batch, b_index + b_lines[j]);
            #pragma unroll
            for (int i = 0; i < BLOCK; i++)
                #pragma unroll
                for (int j = 0; j < BLOCK; j++)
                    sum[i][j] += a_values[i] * b_values[j];
        }

        // For each row of the blocks, all items store their sums, and each
        // item then adds some of them.
        #pragma unroll
        for (int i = 0; i < BLOCK; i++) {
            #pragma unroll
            for (int j = 0; j < BLOCK; j++)
                row[j][item] = sum[i][j];
            barrier(CLK_LOCAL_MEM_FENCE);
            int j = item / ADDERS, first = item % ADDERS;
            ACC partial = 0.0f;
            for (int other = first; other < GROUP; other += ADDERS)
                partial += row[j][other];
            square[i * BLOCK + j][first] = partial;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        int line = top + item / BLOCK, column = left + item % BLOCK;
        if (item < BLOCK * BLOCK && line < m && column < n) {
            ACC total = 0.0f;
            for (int i = 0; i < ADDERS; i++)
                total += square[item][i];
            STORE(out, ((ulong)task * m + line) * n + column, total);
        }
    }
}
