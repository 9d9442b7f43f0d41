// guard_the_end, again: more items than elements.
//
// WHAT   Write the square of each of the `n` numbers of `a`, less @less@, to the
//        same place of `out`. Only whole groups of 256 exist.
// READ   Hello OpenCL
// CHECK  cargo learn again guard_the_end

kernel void guard_the_end(global const float *a, global float *out, uint n)
{
    // HOLE
    //| /* TODO(guard_the_end): by the items that have an element */
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i] * a[i] - (float)@less@;
    // END HOLE
}
