// guard_the_end: more items than elements.
//
// WHAT   Write the square of each of the `n` numbers of `a` to the same place
//        of `out`.
// WHY    Only whole groups of 256 exist, so 300 elements get 512 items. 212 of
//        them have no element, and nobody stops them from touching memory that
//        is somebody else's.
// READ   Hello OpenCL
// CHECK  cargo learn check guard_the_end

kernel void guard_the_end(global const float *a, global float *out, uint n)
{
    /* TODO(guard_the_end): a square, by the items that have an element */
}
