// Alternates between two rows of cells, so a round needs only one barrier.

#define GROUP 256

kernel void scan_groups(global const float *a, global float *out,
                        global float *totals, uint n)
{
    local float rows[2][GROUP];
    uint i = get_global_id(0), item = get_local_id(0);
    rows[0][item] = i < n ? a[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);

    uint from = 0;
    for (uint step = 1; step < GROUP; step *= 2) {
        float before = item >= step ? rows[from][item - step] : 0.0f;
        rows[1 - from][item] = rows[from][item] + before;
        from = 1 - from;
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (i < n)
        out[i] = rows[from][item];
    if (item == GROUP - 1)
        totals[get_group_id(0)] = rows[from][item];
}

// The totals are already scanned: totals[g] is the sum of groups 0 to g.
kernel void add_totals(global const float *sums, global const float *totals,
                       global float *out, uint n)
{
    uint i = get_global_id(0), group = get_group_id(0);
    if (i < n)
        out[i] = sums[i] + (group > 0 ? totals[group - 1] : 0.0f);
}
