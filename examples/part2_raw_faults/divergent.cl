// ANCHOR: divergent
// The numbers backward, in one group of 8:
// a (n) -> out (n).

kernel void divergent(global const float *a,
                      global float *out, uint n)
{
    local float cells[8];
    uint i = get_local_id(0);

    if (i < n) {
        cells[i] = a[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        out[i] = cells[n - 1 - i];
    }
}
// ANCHOR_END: divergent
