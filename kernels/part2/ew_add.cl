// Elementwise sum: a (n) + b (n) -> out (n). One work-item per pair. The last
// group may extend past the end; its extra items do nothing.

// ANCHOR: ew-add
kernel void ew_add(global const float *a, global const float *b,
                   global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i] + b[i];
}
// ANCHOR_END: ew-add
