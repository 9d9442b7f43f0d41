//! OpenCL C functions that generated kernels call.

/// Loads four elements, of which `left` remain in the array.
pub(super) const TAKE: &str = "\
float4 take(global const float *a, uint left)
{
    if (left >= 4)
        return *(global const float4 *)a;
    return (float4)(a[0], a[left > 1], a[left > 2 ? 2 : 0], a[0]);
}

";

pub(super) const PUT: &str = "\
void put(float4 four, global float *out, uint left)
{
    if (left >= 4) {
        *(global float4 *)out = four;
        return;
    }
    out[0] = four.x;
    if (left > 1)
        out[1] = four.y;
    if (left > 2)
        out[2] = four.z;
}

";

/// Compensated summation: the rounding error of an addition is carried into
/// the next.
pub(super) const ADD: &str = "\
float add(float sum, float x, float *excess)
{
    float given = x - *excess;
    float next = sum + given;
    *excess = isinf(next) ? 0.0f : next - sum - given;
    return next;
}

";

pub(super) const LARGER: &str = "\
float larger(float x, float y)
{
    return y > x || isnan(y) ? y : x;
}

";

/// Reduces the values of the items of each team, which are `step` items apart.
pub(super) const TEAM_SUM: &str = "\
float team_sum(float x, local float *tree, uint items, uint u, uint step)
{
    uint item = get_local_id(0);
    tree[item] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = items / 2; width > 0; width /= 2) {
        if (u < width)
            tree[item] += tree[item + width * step];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float sum = tree[item - u * step];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

";

pub(super) const TEAM_MAX: &str = "\
float team_max(float x, local float *tree, uint items, uint u, uint step)
{
    uint item = get_local_id(0);
    tree[item] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = items / 2; width > 0; width /= 2) {
        if (u < width)
            tree[item] = larger(tree[item], tree[item + width * step]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float most = tree[item - u * step];
    barrier(CLK_LOCAL_MEM_FENCE);
    return most;
}

";
