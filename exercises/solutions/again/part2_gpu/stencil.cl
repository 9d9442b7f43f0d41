// stencil, again: the result is multiplied by a number.
//
// WHAT   Everything is as in the exercise, but each element of `out` is
//        @scale@ times as large.
// READ   The matmul ladder
// CHECK  cargo learn again stencil

#define GROUP 256
#define RADIUS 4

kernel void stencil(global const float *a, global float *out, uint n)
{
    local float tile[RADIUS + GROUP + RADIUS];
    uint item = get_local_id(0), i = get_global_id(0);
    // HOLE
    //| /* TODO(stencil): fill the tile and its halo, wait, add up nine cells */
    int before = (int)(get_group_id(0) * GROUP) - RADIUS;
    for (uint cell = item; cell < GROUP + 2 * RADIUS; cell += GROUP) {
        int place = before + (int)cell;
        tile[cell] = place >= 0 && place < (int)n ? a[place] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    float sum = 0.0f;
    for (uint cell = item; cell <= item + 2 * RADIUS; cell++)
        sum += tile[cell];
    if (i < n)
        out[i] = @scale@f * sum;
    // END HOLE
}
