// The multiplication of product.cl for results with few rows, such as a
// convolution with few filters:
//
//     out[row, column] = sum over l of a[row, l] * b[l, column]
//
// 1. An item computes a whole column of the result in registers, so it reads
//    its column of b, which may be a window of an image, only once.
// 2. The rows of a are in local memory, CHAIN products at a time.
// 3. The sum of each CHAIN products is added to the total, which bounds the
//    rounding error.
//
// ROWS: the maximum number of rows.

#define GROUP 128
#define CHAIN 64

// The offset of index `i` of a line that is a view of three axes with sizes
// .., n1, n2 and strides s0, s1, s2.
#define OFFSET(i, n1, n2, s0, s1, s2)                                       \
    ((i) % (n2) * (s2) + (i) / (n2) % (n1) * (s1) + (i) / (n2) / (n1) * (s0))

// For the arguments see product.cl.
__attribute__((reqd_work_group_size(GROUP, 1, 1)))
kernel void product_few_rows(
    global const T *a, uint a_offset, int8 a_to, global const T *b,
    uint b_offset, int8 b_to, int8 sizes, global OUT *out, int m, int k, int n)
{
    local ACC rows[CHAIN][ROWS];
    int item = get_local_id(0), column = get_global_id(0);
    int batches = sizes.s6, length = sizes.s7;
    int parts = (k - 1) / length + 1;
    int line = column < n ? OFFSET(column, sizes.s2, sizes.s3, b_to.s0, b_to.s1,
                                b_to.s2) : 0;

    for (int task = get_group_id(1); task < batches * parts;
         task += get_num_groups(1)) {
        int part = task / batches, batch = task - part * batches;
        int from = part * length;
        int to = min(from + length, k);
        int a_from = (int)a_offset + batch * a_to.s6;
        int b_index = (int)b_offset + batch * b_to.s6 + line
                      + OFFSET(from, sizes.s4, sizes.s5, b_to.s3, b_to.s4,
                               b_to.s5);
        int v = from / sizes.s5 % sizes.s4, u = from % sizes.s5;
        ACC total[ROWS];
        #pragma unroll
        for (int row = 0; row < ROWS; row++)
            total[row] = 0.0f;

        for (int start = from; start < to; start += CHAIN) {
            barrier(CLK_LOCAL_MEM_FENCE);
            for (int i = item; i < CHAIN * ROWS; i += GROUP) {
                int row = i % ROWS, l = start + i / ROWS;
                rows[i / ROWS][row] = row < m && l < to
                    ? LOAD(a, a_from
                        + OFFSET(row, sizes.s0, sizes.s1, a_to.s0, a_to.s1,
                              a_to.s2)
                        + OFFSET(l, sizes.s4, sizes.s5, a_to.s3, a_to.s4,
                              a_to.s5))
                    : 0.0f;
            }
            barrier(CLK_LOCAL_MEM_FENCE);

            ACC sum[ROWS];
            #pragma unroll
            for (int row = 0; row < ROWS; row++)
                sum[row] = 0.0f;
            int count = min(CHAIN, to - start);
            for (int l = 0; l < count; l++) {
                ACC x = column < n ? LOAD(b, b_index) : 0.0f;
                #pragma unroll
                for (int row = 0; row < ROWS; row++)
                    sum[row] += rows[l][row] * x;
                // Advance to the next element along the axes of k.
                b_index += b_to.s5;
                if (++u == sizes.s5) {
                    u = 0;
                    b_index += b_to.s4 - sizes.s5 * b_to.s5;
                    if (++v == sizes.s4) {
                        v = 0;
                        b_index += b_to.s3 - sizes.s4 * b_to.s4;
                    }
                }
            }
            #pragma unroll
            for (int row = 0; row < ROWS; row++)
                total[row] += sum[row];
        }
        #pragma unroll
        for (int row = 0; row < ROWS; row++)
            if (row < m && column < n)
                STORE(out, ((ulong)task * m + row) * n + column, total[row]);
    }
}
