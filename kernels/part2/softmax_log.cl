// The logarithm of softmax, row by row: a (rows, columns) -> out (rows,
// columns). One group of 64 items for each row; a row of scores is short.
//
// Two trees, one after the other: the largest of the row, and the sum of the
// exponentials. The largest becomes 0, so no exponential exceeds 1 and their
// sum is at least 1. A long row loses nothing either: what an addition rounds
// away is given to the next one, as in reduce_axis.

// ANCHOR: softmax-log
#define GROUP 64

__attribute__((reqd_work_group_size(GROUP, 1, 1)))
kernel void softmax_log(global const float *a, global float *out,
                        uint columns)
{
    local float tree[GROUP];
    uint item = get_local_id(0);
    global const float *row = a + get_group_id(0) * columns;

    float most = -INFINITY;
    for (uint column = item; column < columns; column += GROUP)
        most = fmax(most, row[column]);
    tree[item] = most;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width)
            tree[item] = fmax(tree[item], tree[item + width]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    most = tree[0];
    // Nobody may plant the second tree while another still reads the first.
    barrier(CLK_LOCAL_MEM_FENCE);

    float total = 0.0f, excess = 0.0f;
    for (uint column = item; column < columns; column += GROUP) {
        float given = exp(row[column] - most) - excess;
        float next = total + given;
        excess = isinf(next) ? 0.0f : next - total - given;
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

    // One after the other: a large score would swallow the logarithm.
    global float *out_row = out + get_group_id(0) * columns;
    for (uint column = item; column < columns; column += GROUP)
        out_row[column] = row[column] - most - log_total;
}
// ANCHOR_END: softmax-log
