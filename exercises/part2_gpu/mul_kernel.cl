// mul_kernel: the gradients of a product, on the device.
//
// WHAT   Fill `grad_a` and `grad_b`. Each work-item does one element of both,
//        by the local rule of a product ("Backward by hand").
// WHY    The device starts whole groups of 256 work-items: for 777 elements
//        1024 of them run, and 247 have nothing to do. A kernel that lets
//        them write destroys memory that belongs to somebody else, and the
//        numbers that you look at may still be right.
// READ   A tensor on the GPU
// CHECK  cargo learn check mul_kernel

kernel void mul_backward(global const float *grad_out,
                         global const float *a, global const float *b,
                         global float *grad_a, global float *grad_b, uint n)
{
    uint i = get_global_id(0);
    /* TODO(mul_kernel): guard, then write grad_a[i] and grad_b[i] */
}
