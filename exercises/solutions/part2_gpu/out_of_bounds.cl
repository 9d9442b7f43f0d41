// out_of_bounds: one kernel with two stray accesses.
//
// WHAT   `smooth` replaces each element by half of itself plus a quarter of
//        each neighbor; beyond both ends of `a` there are zeros. It was tested
//        only with 256 elements. Two work-items access memory outside the
//        arrays. Find out which, fix the kernel, and remove the line with
//        TODO.
// WHY    256 elements fill one whole group, so there are no spare items, and
//        the memory after the array happened to contain a zero.
// READ   A borrow checker for kernels
// CHECK  cargo learn check out_of_bounds

kernel void smooth(global const float *a, global float *out, uint n)
{
    uint i = get_global_id(0);
    // HOLE
    //| /* TODO(out_of_bounds): which two work-items leave the arrays? */
    //| if (i > n)
    //|     return;
    //| float left = i > 0 ? a[i - 1] : 0.0f;
    //| float right = i < n ? a[i + 1] : 0.0f;
    if (i >= n)
        return;
    float left = i > 0 ? a[i - 1] : 0.0f;
    float right = i + 1 < n ? a[i + 1] : 0.0f;
    // END HOLE
    out[i] = 0.25f * left + 0.5f * a[i] + 0.25f * right;
}
