// mul_kernel, again: the result is multiplied by a number.
//
// WHAT   Everything is as in the exercise, but each element of `grad_a` and `grad_b` is
//        @scale@ times as large.
// READ   A tensor on the GPU
// CHECK  cargo learn again mul_kernel

kernel void mul_backward(global const float *grad_out,
                         global const float *a, global const float *b,
                         global float *grad_a, global float *grad_b, uint n)
{
    uint i = get_global_id(0);
    // HOLE
    //| /* TODO(mul_kernel): check the bounds, write grad_a[i] and grad_b[i] */
    if (i < n) {
        grad_a[i] = @scale@f * grad_out[i] * b[i];
        grad_b[i] = @scale@f * grad_out[i] * a[i];
    }
    // END HOLE
}
