// Item 0 adds the sums of the others, which nobody waited for.

#define GROUP 256

kernel void coalesced_matvec(global const float *a, global const float *v,
                             global float *out, uint m, uint k)
{
    local float sums[GROUP];
    uint item = get_local_id(0), row = get_group_id(0);
    float sum = 0.0f;
    if (row < m)
        for (uint i = item; i < k; i += GROUP)
            sum += a[row * k + i] * v[i];
    sums[item] = sum;
    if (item == 0 && row < m) {
        float all = 0.0f;
        for (uint i = 0; i < GROUP; i++)
            all += sums[i];
        out[row] = all;
    }
}
