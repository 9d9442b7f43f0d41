// Chains of products and sums, in numbers of two sizes: a (n) -> out (n). An
// item loads one number, makes four chains of it, and takes `steps` steps in
// each: so much arithmetic that the memory does not count.
//
// Four, since a step waits for the one before it and not for its neighbors.

// ANCHOR: chain
kernel void chain_f32(global const float *a, global float *out, uint n,
                      uint steps)
{
    uint i = get_global_id(0);
    if (i < n) {
        float4 v = (float4)(0, 1, 2, 3);
        for (uint step = 0; step < steps; step++)
            v = v * 0.5f + a[i];
        out[i] = v.x + v.y + v.z + v.w;
    }
}
// ANCHOR_END: chain

#ifdef cl_khr_fp64 // a device may go without
kernel void chain_f64(global const float *a, global float *out, uint n,
                      uint steps)
{
    uint i = get_global_id(0);
    if (i < n) {
        double4 v = (double4)(0, 1, 2, 3);
        for (uint step = 0; step < steps; step++)
            v = v * 0.5 + (double)a[i];
        out[i] = (float)(v.x + v.y + v.z + v.w);
    }
}
#endif
