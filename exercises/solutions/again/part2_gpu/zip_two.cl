// zip_two, again: each item reads the same index of two arrays.
//
// WHAT   Write to each index of `out` the element of `a` minus @less@ times
//        the element of `b` at that index.
// READ   Hello OpenCL
// CHECK  cargo learn again zip_two

kernel void zip_two(global const float *a, global const float *b,
                    global float *out)
{
    // HOLE
    //| /* TODO(zip_two): one index for both elements */
    uint i = get_global_id(0);
    out[i] = a[i] - @times@.0f * b[i];
    // END HOLE
}
