// coalesced_matvec, again: the result is multiplied by a number.
//
// WHAT   Everything is as in the exercise, but each element of `out` is
//        @scale@ times as large.
// READ   Neighbors
// CHECK  cargo learn again coalesced_matvec

#define GROUP 256

kernel void coalesced_matvec(global const float *a, global const float *v,
                             global float *out, uint m, uint k)
{
    local float sums[GROUP];
    uint item = get_local_id(0), row = get_group_id(0);
    // HOLE
    //| /* TODO(coalesced_matvec): which products belong to this item? */
    float sum = 0.0f;
    if (row < m)
        for (uint i = item; i < k; i += GROUP)
            sum += a[row * k + i] * v[i];
    sums[item] = sum;

    for (uint width = GROUP / 2; width > 0; width /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (item < width)
            sums[item] += sums[item + width];
    }
    if (item == 0 && row < m)
        out[row] = @scale@f * sums[0];
    // END HOLE
}
