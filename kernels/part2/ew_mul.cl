// Elementwise product: a (n), b (n) -> out (n).
//
// The global size is rounded up to a multiple of the local size, so the last
// group may extend past the end. The guard keeps its extra items idle.

// ANCHOR: ew-mul
kernel void ew_mul(global const float *a, global const float *b,
                   global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i] * b[i];
}
// ANCHOR_END: ew-mul
