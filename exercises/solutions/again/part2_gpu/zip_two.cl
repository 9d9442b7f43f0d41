// zip_two, again: an item takes the elements of one place in two arrays.
//
// WHAT   Write to each place of `out` the number of `a` there less @times@ times
//        that of `b`.
// READ   Hello OpenCL
// CHECK  cargo learn again zip_two

kernel void zip_two(global const float *a, global const float *b,
                    global float *out)
{
    // HOLE
    //| /* TODO(zip_two): one number finds both partners */
    uint i = get_global_id(0);
    out[i] = a[i] - @times@.0f * b[i];
    // END HOLE
}
