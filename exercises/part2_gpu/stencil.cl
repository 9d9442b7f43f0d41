// stencil: load shared neighbors once.
//
// WHAT   out[i] is the sum of the nine elements a[i - 4] to a[i + 4]. Elements
//        before the first or after the last of the `n` elements of `a` count
//        as 0.
// WHY    Each element is part of nine sums. A group of 256 items needs 264
//        elements for all of its sums: its own, and four on each side, which
//        are called the halo. The items then read their nine elements from
//        local memory.
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
