// zip_two: an item takes the elements of one place in two arrays.
//
// WHAT   Write to each place of `out` the number of `a` there less that of `b`.
// WHY    Arrays in global memory know nothing of one another. It is the number
//        of the item that makes two elements partners.
// READ   Hello OpenCL
// CHECK  cargo learn check zip_two

kernel void zip_two(global const float *a, global const float *b,
                    global float *out)
{
    /* TODO(zip_two): one number finds both partners */
}
