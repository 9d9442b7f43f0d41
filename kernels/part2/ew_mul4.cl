// Elementwise product, four at a time: a (n), b (n) -> out (n). An item loads
// 16 bytes at once, so a quarter of the items asks a quarter of the times.
//
// Up to three numbers at the end make no whole four. The first items of the
// first group take one of them each, as single numbers.

// ANCHOR: ew-mul4
kernel void ew_mul4(global const float4 *a, global const float4 *b,
                    global float4 *out, uint n)
{
    uint i = get_global_id(0);
    uint fours = n / 4;
    if (i < fours)
        out[i] = a[i] * b[i];
    if (i < n % 4) {
        uint last = 4 * fours + i;
        global const float *x = (global const float *)a;
        global const float *y = (global const float *)b;
        ((global float *)out)[last] = x[last] * y[last];
    }
}
// ANCHOR_END: ew-mul4
