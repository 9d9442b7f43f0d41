// prefix_sum: running sums of any length.
//
// WHAT   Write both kernels. `scan_groups` writes to out[i] the sum of the
//        elements of its group up to and including a[i], and to totals the sum
//        of each group. The host then scans the totals with the same kernel,
//        in one group. `add_totals` completes the sums: to each it adds the
//        total of all groups before it.
// WHY    out[i] depends on all elements before it, but no item has to wait for
//        255 others. In the first round each item adds the value one cell
//        before its own, in the second round two cells before, then four, then
//        eight. After eight rounds each sum covers up to 256 elements.
// MIND   In a round an item writes a cell that another item reads. Items past
//        the end contribute 0 and must reach all barriers. There is no group
//        before group 0.
// READ   More kernels
// CHECK  cargo learn check prefix_sum

#define GROUP 256

kernel void scan_groups(global const float *a, global float *out,
                        global float *totals, uint n)
{
    local float cells[GROUP];
    uint i = get_global_id(0), item = get_local_id(0);
    /* TODO(prefix_sum): load, eight rounds, write the sums and the total */
}

// The totals are already scanned: totals[g] is the sum of groups 0 to g.
kernel void add_totals(global const float *sums, global const float *totals,
                       global float *out, uint n)
{
    uint i = get_global_id(0), group = get_group_id(0);
    /* TODO(prefix_sum): the sum, plus the total of all groups before */
}
