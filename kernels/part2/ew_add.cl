// Elementwise sum: a (n) + b (n) -> out (n). One item for each pair. The
// items that round the last group up lie past the end and do nothing.

// ANCHOR: ew-add
kernel void ew_add(global const float *a, global const float *b,
                   global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i] + b[i];
}
// ANCHOR_END: ew-add
