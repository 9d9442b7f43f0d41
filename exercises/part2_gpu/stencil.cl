// stencil: what neighbors share is fetched once.
//
// WHAT   out[i] is the sum of a[i - 4] to a[i + 4], nine numbers; what lies
//        before the first of the `n` numbers of `a` or behind the last counts
//        as 0.
// WHY    Each number is part of nine sums. A group of 256 items needs 264
//        numbers for all of its sums: its own, and four on each side, which are
//        called its halo. From local memory everybody takes the nine.
// MIND   Items 0 and 255 have neighbors in other groups, and there are more
//        cells to fill than items. The array may end within a group.
// READ   The matmul ladder
// CHECK  cargo learn check stencil

#define GROUP 256
#define RADIUS 4

kernel void stencil(global const float *a, global float *out, uint n)
{
    local float tile[RADIUS + GROUP + RADIUS];
    uint item = get_local_id(0), i = get_global_id(0);
    /* TODO(stencil): fill the tile and its halo, wait, add up nine cells */
}
