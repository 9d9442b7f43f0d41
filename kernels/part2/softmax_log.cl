// The logarithm of softmax, row by row: a (rows, columns) -> out (rows,
// columns). One group of 64 items per row, because rows of scores are short.
//
// The group reduces twice with a tree: first to the maximum of the row, then
// to the sum of the exponentials. Subtracting the maximum keeps each
// exponential at most 1 and their sum at least 1. The sum is compensated as in
// reduce_axis, so long rows are accurate too.

// ANCHOR: softmax-log
#define GROUP 64

__attribute__((reqd_work_group_size(GROUP, 1, 1)))
kernel void softmax_log(global const float *a, global float *out,
                        uint columns)
{
    local float tree[GROUP];
    uint item = get_local_id(0);
    global const float *row = a + get_group_id(0) * columns;

    float row_max = -INFINITY;
    for (uint column = item; column < columns; column += GROUP)
        row_max = fmax(row_max, row[column]);
    tree[item] = row_max;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width)
            tree[item] = fmax(tree[item], tree[item + width]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    row_max = tree[0];
    // No item may write to the tree again while another still reads the
    // maximum.
    barrier(CLK_LOCAL_MEM_FENCE);

    float total = 0.0f, excess = 0.0f;
    for (uint column = item; column < columns; column += GROUP) {
        float corrected = exp(row[column] - row_max) - excess;
        float next = total + corrected;
        excess = isinf(next) ? 0.0f : next - total - corrected;
        total = next;
    }
    tree[item] = total;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width)
            tree[item] += tree[item + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float log_total = log(tree[0]);

    // The two are subtracted one after the other: added first, a large maximum
    // would absorb the logarithm.
    global float *out_row = out + get_group_id(0) * columns;
    for (uint column = item; column < columns; column += GROUP)
        out_row[column] = row[column] - row_max - log_total;
}
// ANCHOR_END: softmax-log
