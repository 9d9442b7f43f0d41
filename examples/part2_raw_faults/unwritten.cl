// ANCHOR: unwritten
// One more contribution: a (n) is added to
// out (n).

kernel void unwritten(global const float *a,
                      global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] += a[i];
}
// ANCHOR_END: unwritten
