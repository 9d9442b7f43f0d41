// The multiplication of product.cl for small results with long sums, such as
// the gradient of a convolution's filters:
//
//     out[row, column] = sum over l of a[row, l] * b[l, column]
//
// 1. The items of a group split k: each adds every GROUP-th product, so that
//    adjacent items read adjacent elements.
// 2. An item has an OWN x OWN block of the result in registers. At the end the
//    group adds the blocks of its items.
//
// The host limits the length of a part, which bounds the rounding error.

#define GROUP 256
// The side of an item's block.
#define OWN 8
// Number of items that add up the sums of all items for one result.
#define ADDERS (GROUP / OWN)

// The offset of index `i` of a line that is a view of three axes with sizes
// .., n1, n2 and strides s0, s1, s2.
#define WAY(i, n1, n2, s0, s1, s2)                                          \
    ((i) % (n2) * (s2) + (i) / (n2) % (n1) * (s1) + (i) / (n2) / (n1) * (s0))

// For the arguments see product.cl.
__attribute__((reqd_work_group_size(GROUP, 1, 1)))
kernel void product_long_sums(
    global const T *a, uint a_offset, int8 a_to, global const T *b,
    uint b_offset, int8 b_to, int8 sizes, global OUT *out, int m, int k, int n)
{
    local ACC row[OWN][GROUP], square[OWN * OWN][ADDERS + 1];
    int item = get_local_id(0);
    int top = get_group_id(1) * OWN, left = get_group_id(0) * OWN;
    int batches = sizes.s6, length = sizes.s7;
    int parts = (k - 1) / length + 1;

    // Past the end of the result the last line is read again; those sums are
    // not written.
    int a_lines[OWN], b_lines[OWN];
    #pragma unroll
    for (int i = 0; i < OWN; i++) {
        int line = min(top + i, m - 1), column = min(left + i, n - 1);
        a_lines[i] = (int)a_offset
                     + WAY(line, sizes.s0, sizes.s1, a_to.s0, a_to.s1, a_to.s2);
        b_lines[i] = (int)b_offset + WAY(column, sizes.s2, sizes.s3, b_to.s0,
                                         b_to.s1, b_to.s2);
    }

    for (int which = get_group_id(2); which < batches * parts;
         which += get_num_groups(2)) {
        int part = which / batches, batch = which - part * batches;
        int from = part * length;
        int to = min(from + length, k);
        global const T *of_a = a + batch * a_to.s6;
        global const T *of_b = b + batch * b_to.s6;

        ACC sum[OWN][OWN];
        #pragma unroll
        for (int i = 0; i < OWN; i++)
            #pragma unroll
            for (int j = 0; j < OWN; j++)
                sum[i][j] = 0.0f;
        for (int l = from + item; l < to; l += GROUP) {
            int across = l / sizes.s5, w = across / sizes.s4;
            int u = l - across * sizes.s5, v = across - w * sizes.s4;
            int a_at = w * a_to.s3 + v * a_to.s4 + u * a_to.s5;
            int b_at = w * b_to.s3 + v * b_to.s4 + u * b_to.s5;
            ACC mine[OWN], others[OWN];
            #pragma unroll
            for (int i = 0; i < OWN; i++)
                mine[i] = LOAD(of_a, a_at + a_lines[i]);
            #pragma unroll
            for (int j = 0; j < OWN; j++)
                others[j] = LOAD(of_b, b_at + b_lines[j]);
            #pragma unroll
            for (int i = 0; i < OWN; i++)
                #pragma unroll
                for (int j = 0; j < OWN; j++)
                    sum[i][j] += mine[i] * others[j];
        }

        // For each row of the blocks, all items store their sums, and each
        // item then adds some of them.
        #pragma unroll
        for (int i = 0; i < OWN; i++) {
            #pragma unroll
            for (int j = 0; j < OWN; j++)
                row[j][item] = sum[i][j];
            barrier(CLK_LOCAL_MEM_FENCE);
            int j = item / ADDERS, first = item % ADDERS;
            ACC some = 0.0f;
            for (int other = first; other < GROUP; other += ADDERS)
                some += row[j][other];
            square[i * OWN + j][first] = some;
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        int line = top + item / OWN, column = left + item % OWN;
        if (item < OWN * OWN && line < m && column < n) {
            ACC all = 0.0f;
            for (int i = 0; i < ADDERS; i++)
                all += square[item][i];
            STORE(out, ((ulong)which * m + line) * n + column, all);
        }
    }
}
