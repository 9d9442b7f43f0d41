// The sum of each row: a (rows, columns) -> out (rows). One group of 256
// items for each row: an item sums every 256th element in a register, then a
// tree joins the 256 sums. The order depends on the sizes alone, so the same
// input gives the same bits in every run.

#define GROUP 256

__attribute__((reqd_work_group_size(GROUP, 1, 1)))
kernel void reduce_rows_sum(global const float *a, uint offset,
                            global float *out, uint columns)
{
    local float tree[GROUP];
    uint item = get_local_id(0);
    uint row = get_group_id(0);
    float sum = 0.0f;
    for (uint column = item; column < columns; column += GROUP)
        sum += a[offset + row * columns + column];
    tree[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width)
            tree[item] += tree[item + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (item == 0)
        out[row] = tree[0];
}
