// The first four items load both sides of the halo.

#define GROUP 256
#define RADIUS 4

kernel void stencil(global const float *a, global float *out, uint n)
{
    local float tile[RADIUS + GROUP + RADIUS];
    uint item = get_local_id(0), i = get_global_id(0);
    tile[RADIUS + item] = i < n ? a[i] : 0.0f;
    if (item < RADIUS) {
        tile[item] = i >= RADIUS ? a[i - RADIUS] : 0.0f;
        tile[RADIUS + GROUP + item] = i + GROUP < n ? a[i + GROUP] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);

    float sum = 0.0f;
    for (uint cell = item; cell <= item + 2 * RADIUS; cell++)
        sum += tile[cell];
    if (i < n)
        out[i] = sum;
}
