// zip_two: each item reads the same index of two arrays.
//
// WHAT   Write to each index of `out` the element of `a` minus the element of
//        `b` at that index.
// WHY    Arrays in global memory are not connected. The item's index
//        determines which elements belong together.
// READ   Hello OpenCL
// CHECK  cargo learn check zip_two

kernel void zip_two(global const float *a, global const float *b,
                    global float *out)
{
    // HOLE
    //| /* TODO(zip_two): one index for both elements */
    uint i = get_global_id(0);
    out[i] = a[i] - b[i];
    // END HOLE
}
