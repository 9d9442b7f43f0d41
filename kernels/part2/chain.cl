// Chains of multiply-adds in f32 and f64: a (n) -> out (n). Each item loads
// one value, starts four chains from it and takes `steps` steps in each, so
// that the time is spent on arithmetic and not on memory.
//
// There are four chains because each step of a chain waits for the step before
// it, while different chains do not wait for each other.

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

#ifdef cl_khr_fp64 // optional in OpenCL
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
