// Reads the row through a pointer.

#define GROUP 256

kernel void coalesced_matvec(global const float *a, global const float *v,
                             global float *out, uint m, uint k)
{
    local float sums[GROUP];
    uint item = get_local_id(0), row = get_group_id(0);
    global const float *mine = a + row * k;
    float sum = 0.0f;
    if (row < m)
        for (uint i = item; i < k; i += GROUP)
            sum += mine[i] * v[i];
    sums[item] = sum;
    for (uint width = GROUP / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < width)
            sums[item] += sums[item + width];
    }
    if (item == 0 && row < m)
        out[row] = sums[0];
}
