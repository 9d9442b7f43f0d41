// The totals are added up, though they are scanned.

#define GROUP 256

kernel void scan_groups(global const float *a, global float *out,
                        global float *totals, uint n)
{
    local float cells[GROUP];
    uint i = get_global_id(0), item = get_local_id(0);
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
}

// The totals are scanned: totals[g] is the sum of the groups 0 to g.
kernel void add_totals(global const float *sums, global const float *totals,
                       global float *out, uint n)
{
    uint i = get_global_id(0), group = get_group_id(0);
    float before = 0.0f;
    for (uint g = 0; g < group; g++)
        before += totals[g];
    if (i < n)
        out[i] = sums[i] + before;
}
