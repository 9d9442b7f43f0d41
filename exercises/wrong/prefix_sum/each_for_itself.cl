// Right numbers, and each item adds up all numbers before its own.

#define GROUP 256

kernel void scan_groups(global const float *a, global float *out,
                        global float *totals, uint n)
{
    uint i = get_global_id(0), item = get_local_id(0);
    float sum = 0.0f;
    for (uint c = i - item; c <= i && c < n; c++)
        sum += a[c];
    if (i < n)
        out[i] = sum;
    if (item == GROUP - 1)
        totals[get_group_id(0)] = sum;
}

// The totals are scanned: totals[g] is the sum of the groups 0 to g.
kernel void add_totals(global const float *sums, global const float *totals,
                       global float *out, uint n)
{
    uint i = get_global_id(0), group = get_group_id(0);
    if (i < n)
        out[i] = sums[i] + (group > 0 ? totals[group - 1] : 0.0f);
}
