// Right numbers, and one warp of eight fetches all of them.

#define GROUP 256

kernel void scan_groups(global const float *a, global float *out,
                        global float *totals, uint n)
{
    local float cells[GROUP];
    uint i = get_global_id(0), item = get_local_id(0);
    uint first = get_group_id(0) * GROUP;
    for (uint cell = item; item < 32 && cell < GROUP; cell += 32)
        cells[cell] = first + cell < n ? a[first + cell] : 0.0f;
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
}

// The totals are scanned: totals[g] is the sum of the groups 0 to g.
kernel void add_totals(global const float *sums, global const float *totals,
                       global float *out, uint n)
{
    uint i = get_global_id(0), group = get_group_id(0);
    if (i < n)
        out[i] = sums[i] + (group > 0 ? totals[group - 1] : 0.0f);
}
