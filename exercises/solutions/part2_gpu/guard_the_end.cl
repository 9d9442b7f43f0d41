// guard_the_end: more items than elements.
//
// WHAT   For each of the `n` elements of `a`, write its square to the same
//        index of `out`.
// WHY    Launches consist of whole groups of 256, so 300 elements get 512
//        items. 212 of them have no element, and nothing stops them from
//        writing to memory that belongs to other data.
// READ   Hello OpenCL
// CHECK  cargo learn check guard_the_end

kernel void guard_the_end(global const float *a, global float *out, uint n)
{
    // HOLE
    //| /* TODO(guard_the_end): only items with an element may write */
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i] * a[i];
    // END HOLE
}
