// Right numbers, and one warp of eight does what all could share.

#define GROUP 256
#define EPS 1e-5f

/// Adds up what the items of the group bring: each of them gets the sum.
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
    float sum = 0.0f;
    for (uint i = item; item < 32 && i < columns; i += 32)
        sum += a[first + i];
    float mean = total(tree, sum) / columns;

    float squares = 0.0f;
    for (uint i = item; item < 32 && i < columns; i += 32) {
        float away = a[first + i] - mean;
        squares += away * away;
    }
    float variance = total(tree, squares) / columns;

    for (uint i = item; item < 32 && i < columns; i += 32)
        out[first + i] = (a[first + i] - mean) / sqrt(variance + EPS);
}
