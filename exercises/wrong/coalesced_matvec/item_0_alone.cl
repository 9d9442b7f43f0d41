// One item does it all: nothing is apart, and nothing is together.

#define GROUP 256

kernel void coalesced_matvec(global const float *a, global const float *v,
                             global float *out, uint m, uint k)
{
    local float sums[GROUP];
    uint item = get_local_id(0), row = get_group_id(0);
    if (item == 0 && row < m) {
        float sum = 0.0f;
        for (uint i = 0; i < k; i++)
            sum += a[row * k + i] * v[i];
        out[row] = sum;
    }
}
