// Matrix-vector product: a (m, k), v (k) -> out (m). A team of 32 work-items
// per row, and 8 teams per group.
//
// In each step the items of a team read 32 adjacent elements. Each item adds
// up every 32nd product of the row, and the team adds its 32 sums as a tree.
// The order of the additions depends only on k.

#define TEAM 32
#define TEAMS 8

// ANCHOR: matvec-teams
__attribute__((reqd_work_group_size(TEAM, TEAMS, 1)))
kernel void matvec_teams(global const float *a, global const float *v,
                         global float *out, uint m, uint k)
{
    local float sums[TEAMS][TEAM];
    uint item = get_local_id(0), team = get_local_id(1);
    uint row = get_global_id(1);

    // A team past the last row contributes zeros. It must not return, because
    // every item of a group must reach every barrier.
    float sum = 0.0f;
    if (row < m)
        for (uint i = item; i < k; i += TEAM)
            sum += a[row * k + i] * v[i];
    sums[team][item] = sum;

    for (uint width = TEAM / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < width)
            sums[team][item] += sums[team][item + width];
    }
    if (item == 0 && row < m)
        out[row] = sums[team][0];
}
// ANCHOR_END: matvec-teams
