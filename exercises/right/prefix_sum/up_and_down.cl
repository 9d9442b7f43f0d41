// An up-sweep and a down-sweep over a tree.

#define GROUP 256

kernel void scan_groups(global const float *a, global float *out,
                        global float *totals, uint n)
{
    local float cells[GROUP];
    uint i = get_global_id(0), item = get_local_id(0);
    cells[item] = i < n ? a[i] : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint step = 1; step < GROUP; step *= 2) {
        uint last = 2 * step * (item + 1) - 1;
        if (last < GROUP)
            cells[last] += cells[last - step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint step = GROUP / 4; step > 0; step /= 2) {
        uint next = 2 * step * (item + 1) - 1 + step;
        if (next < GROUP)
            cells[next] += cells[next - step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (i < n)
        out[i] = cells[item];
    if (item == GROUP - 1)
        totals[get_group_id(0)] = cells[item];
}

// The totals are already scanned: totals[g] is the sum of groups 0 to g.
kernel void add_totals(global const float *sums, global const float *totals,
                       global float *out, uint n)
{
    uint i = get_global_id(0), group = get_group_id(0);
    if (i < n)
        out[i] = sums[i] + (group > 0 ? totals[group - 1] : 0.0f);
}
