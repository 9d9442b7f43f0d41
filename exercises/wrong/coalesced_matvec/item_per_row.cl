// An item for each row, which is right and reads far apart.

#define GROUP 256

kernel void coalesced_matvec(global const float *a, global const float *v,
                             global float *out, uint m, uint k)
{
    local float sums[GROUP];
    uint item = get_local_id(0), row = get_group_id(0);
    uint own = get_global_id(0);
    if (own < m) {
        float sum = 0.0f;
        for (uint i = 0; i < k; i++)
            sum += a[own * k + i] * v[i];
        out[own] = sum;
    }
}
