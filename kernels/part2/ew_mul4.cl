// Elementwise product, four elements at a time: a (n), b (n) -> out (n). Each
// item loads 16 bytes at once, so a quarter of the items issue a quarter of
// the loads.
//
// Up to three elements at the end do not fill a float4. The first items of the
// first group compute one of them each, as scalars.

// ANCHOR: ew-mul4
kernel void ew_mul4(global const float4 *a, global const float4 *b,
                    global float4 *out, uint n)
{
    uint i = get_global_id(0);
    uint vectors = n / 4;
    if (i < vectors)
        out[i] = a[i] * b[i];
    if (i < n % 4) {
        uint last = 4 * vectors + i;
        global const float *x = (global const float *)a;
        global const float *y = (global const float *)b;
        ((global float *)out)[last] = x[last] * y[last];
    }
}
// ANCHOR_END: ew-mul4
