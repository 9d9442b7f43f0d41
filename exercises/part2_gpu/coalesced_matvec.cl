// coalesced_matvec: adjacent items read adjacent elements.
//
// WHAT   `out[row]` is the sum of `a[row * k + i] * v[i]` over all columns
//        `i`, and each row has a whole group of 256 items. Let each item add
//        up some of the products, and then add the sums of the group.
// WHY    In the same step, adjacent items must read adjacent elements.
//        Otherwise a warp touches 32 sectors of memory; 4 would be enough.
//        Oclgrind counts them for the check, if it is installed.
// MIND   `k` may be less than 256, and it need not be a multiple of 256. There
//        may be more groups than rows, and every item of a group must reach
//        each barrier.
// READ   Neighbors
// CHECK  cargo learn check coalesced_matvec

#define GROUP 256

kernel void coalesced_matvec(global const float *a, global const float *v,
                             global float *out, uint m, uint k)
{
    local float sums[GROUP];
    uint item = get_local_id(0), row = get_group_id(0);
    /* TODO(coalesced_matvec): which products belong to this item? */
}
