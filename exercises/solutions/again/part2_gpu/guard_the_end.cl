// guard_the_end, again: more items than elements.
//
// WHAT   For each of the `n` elements of `a`, write its square minus @less@ to
//        the same index of `out`. The launch consists of whole groups of 256
//        items.
// READ   Hello OpenCL
// CHECK  cargo learn again guard_the_end

kernel void guard_the_end(global const float *a, global float *out, uint n)
{
    // HOLE
    //| /* TODO(guard_the_end): only items with an element may write */
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i] * a[i] - (float)@less@;
    // END HOLE
}
