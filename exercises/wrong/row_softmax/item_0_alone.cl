// Right numbers, and one item does the work of 256.

#define GROUP 256
#define WIDEST 1024

kernel void row_softmax(global const float *a, global float *out,
                        uint columns)
{
    local float kept[WIDEST];
    uint first = get_group_id(0) * columns;
    if (get_local_id(0) > 0)
        return;
    float most = -INFINITY, sum = 0.0f;
    for (uint i = 0; i < columns; i++) {
        kept[i] = a[first + i];
        most = fmax(most, kept[i]);
    }
    for (uint i = 0; i < columns; i++) {
        kept[i] = exp(kept[i] - most);
        sum += kept[i];
    }
    for (uint i = 0; i < columns; i++)
        out[first + i] = kept[i] / sum;
}
