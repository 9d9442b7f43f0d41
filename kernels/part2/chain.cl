// Chains of products and sums, in numbers of two sizes: a (n) -> out (n). An
// item loads one number, makes four chains of it, and takes `steps` steps in
// each: so much arithmetic that the memory does not count.
//
// Four, since a step waits for the one before it and not for its neighbors.

// ANCHOR: chain
#define CHAIN(NAME, T)                                                    \
    kernel void NAME(global const float *a, global float *out, uint n,    \
                     uint steps)                                          \
    {                                                                     \
        uint i = get_global_id(0);                                        \
        if (i >= n)                                                       \
            return;                                                       \
        T##4 v = (T##4)(0, 1, 2, 3);                                      \
        for (uint step = 0; step < steps; step++)                         \
            v = v * (T)0.5 + (T)a[i];                                     \
        out[i] = (float)(v.x + v.y + v.z + v.w);                          \
    }

CHAIN(chain_f32, float)
#ifdef cl_khr_fp64 // a device may go without
CHAIN(chain_f64, double)
#endif
// ANCHOR_END: chain
