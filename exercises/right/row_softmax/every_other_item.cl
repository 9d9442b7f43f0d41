// The second tree adds adjacent cells first, so its warps diverge.

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
    for (uint i = item; i < columns; i += GROUP) {
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
    for (uint i = item; i < columns; i += GROUP) {
        kept[i] = exp(kept[i] - most);
        sum += kept[i];
    }
    tree[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item % (GROUP / width) == 0)
            tree[item] += tree[item + GROUP / width / 2];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    for (uint i = item; i < columns; i += GROUP)
        out[first + i] = kept[i] / tree[0];
}
