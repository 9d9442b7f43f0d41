// Each item keeps the elements that it has loaded in private variables.

#define GROUP 256
#define ROUNDS 4

float folded(local float *tree, float own, bool is_sum)
{
    uint item = get_local_id(0);
    tree[item] = own;
    for (uint width = GROUP / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < width) {
            float other = tree[item + width];
            tree[item] = is_sum ? tree[item] + other : fmax(tree[item], other);
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    float all = tree[0];
    barrier(CLK_LOCAL_MEM_FENCE);
    return all;
}

kernel void row_softmax(global const float *a, global float *out,
                        uint columns)
{
    local float tree[GROUP];
    uint item = get_local_id(0);
    uint first = get_group_id(0) * columns;
    float own[ROUNDS], most = -INFINITY, sum = 0.0f;
    for (uint round = 0; round < ROUNDS; round++) {
        uint i = item + round * GROUP;
        own[round] = i < columns ? a[first + i] : -INFINITY;
        most = fmax(most, own[round]);
    }
    most = folded(tree, most, false);
    for (uint round = 0; round < ROUNDS; round++) {
        own[round] = exp(own[round] - most);
        sum += own[round];
    }
    sum = folded(tree, sum, true);
    for (uint round = 0; round < ROUNDS; round++) {
        uint i = item + round * GROUP;
        if (i < columns)
            out[first + i] = own[round] / sum;
    }
}
