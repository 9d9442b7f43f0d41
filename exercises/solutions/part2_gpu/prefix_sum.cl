// prefix_sum: each sum so far, however long the row is.
//
// WHAT   Write both kernels. `scan_groups` leaves in out[i] the sum of the
//        numbers of its group up to a[i], this one too, and in totals the sum
//        of each group. The host then scans the totals by the same kernel, in
//        one group, and `add_totals` makes the sums whole: to each of them
//        goes what all groups before have.
// WHY    out[i] needs all numbers before it, and still nobody has to wait for
//        255 others: in the first round each item adds the number one place
//        before its own, in the second that two places before, then four,
//        then eight. After eight rounds it has 256 of them.
// MIND   In a round an item writes a cell that another one reads. Behind the
//        last number items bring 0 and wait all the same. No group stands
//        before group 0.
// READ   Reductions and barriers
// CHECK  cargo learn check prefix_sum

#define GROUP 256

kernel void scan_groups(global const float *a, global float *out,
                        global float *totals, uint n)
{
    local float cells[GROUP];
    uint i = get_global_id(0), item = get_local_id(0);
    // HOLE
    //| /* TODO(prefix_sum): load, eight rounds, write; the total of the group */
    cells[item] = i < n ? a[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint step = 1; step < GROUP; step *= 2) {
        float before = item >= step ? cells[item - step] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        cells[item] += before;
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (i < n)
        out[i] = cells[item];
    if (item == GROUP - 1)
        totals[get_group_id(0)] = cells[item];
    // END HOLE
}

// The totals are scanned: totals[g] is the sum of the groups 0 to g.
kernel void add_totals(global const float *sums, global const float *totals,
                       global float *out, uint n)
{
    uint i = get_global_id(0), group = get_group_id(0);
    // HOLE
    //| /* TODO(prefix_sum): the sum, and what all groups before have */
    if (i < n)
        out[i] = sums[i] + (group > 0 ? totals[group - 1] : 0.0f);
    // END HOLE
}
