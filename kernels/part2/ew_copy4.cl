// A copy, four elements at a time: a (n) -> out (n). Measures the cost of
// moving the data, which is a lower bound for any elementwise kernel.

kernel void ew_copy4(global const float4 *a, global float4 *out, uint n)
{
    uint i = get_global_id(0);
    uint vectors = n / 4;
    if (i < vectors)
        out[i] = a[i];
    if (i < n % 4) {
        uint last = 4 * vectors + i;
        ((global float *)out)[last] = ((global const float *)a)[last];
    }
}
