// out_of_bounds: one kernel, two strays.
//
// WHAT   `smooth` makes of each number a quarter of both neighbors and half
//        of itself; beyond either end of `a` there are zeros. Somebody wrote
//        it, tried it on 256 numbers, and went home. Two work-items leave the
//        arrays. Find out which, mend it, and take the line with TODO out.
// WHY    256 numbers are one whole group, so no item is to spare, and the
//        memory behind the array happened to hold a zero.
// READ   A borrow checker for kernels
// CHECK  cargo learn check out_of_bounds

kernel void smooth(global const float *a, global float *out, uint n)
{
    uint i = get_global_id(0);
    /* TODO(out_of_bounds): two work-items leave the arrays; which? */
    if (i > n)
        return;
    float left = i > 0 ? a[i - 1] : 0.0f;
    float right = i < n ? a[i + 1] : 0.0f;
    out[i] = 0.25f * left + 0.5f * a[i] + 0.25f * right;
}
