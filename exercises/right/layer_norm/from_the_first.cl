// A single pass. Subtracts the first element of the row from each element,
// which is close enough to the mean.

#define GROUP 256
#define EPS 1e-5f

/// Returns the sum of the group's values of `mine` to each of its items.
float total(local float *tree, float mine)
{
    uint item = get_local_id(0);
    tree[item] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width)
            tree[item] += tree[item + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    float sum = tree[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return sum;
}

kernel void layer_norm(global const float *a, global float *out, uint columns)
{
    local float tree[GROUP];
    uint item = get_local_id(0);
    uint first = get_group_id(0) * columns;
    float base = a[first];
    float sum = 0.0f, squares = 0.0f;
    for (uint i = item; i < columns; i += GROUP) {
        float away = a[first + i] - base;
        sum += away;
        squares += away * away;
    }
    float step = total(tree, sum) / columns;
    float mean = base + step;
    float variance = total(tree, squares) / columns - step * step;

    for (uint i = item; i < columns; i += GROUP)
        out[first + i] = (a[first + i] - mean) / sqrt(variance + EPS);
}
