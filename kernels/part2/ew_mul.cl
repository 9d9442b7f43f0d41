// Elementwise product: a (n), b (n) -> out (n).
//
// The global size is a multiple of the local size, so the last group may
// reach past the end: the guard keeps its spare items idle.

// ANCHOR: ew-mul
kernel void ew_mul(global const float *a, global const float *b,
                   global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i] * b[i];
}
// ANCHOR_END: ew-mul
