// The sum of each row: a (rows, columns) -> out (rows). One group of 256 items
// per row.
//
// Each item first adds every 256th element of the row in a register, so that
// adjacent items read adjacent elements. The sum is compensated as in
// reduce_axis, so rows may be long. Then a tree adds the 256 sums, as in
// reduce_sum.

#define GROUP 256

__attribute__((reqd_work_group_size(GROUP, 1, 1)))
kernel void reduce_rows(global const float *a, global float *out,
                        uint columns)
{
    local float tree[GROUP];
    uint item = get_local_id(0);
    global const float *row = a + get_group_id(0) * columns;

    float sum = 0.0f, excess = 0.0f;
    for (uint column = item; column < columns; column += GROUP) {
        float corrected = row[column] - excess;
        float next = sum + corrected;
        excess = isinf(next) ? 0.0f : next - sum - corrected;
        sum = next;
    }
    tree[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width)
            tree[item] += tree[item + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (item == 0)
        out[get_group_id(0)] = tree[0];
}
