// mul_kernel: the gradients of a multiplication, on the device.
//
// WHAT   Fill `grad_a` and `grad_b`. Each work-item computes one element of
//        both, by the local rule of a product ("Backward by hand").
// WHY    The device launches whole groups of 256 work-items: for 777 elements
//        it launches 1024, and 247 have no element. If the kernel lets them
//        write, it overwrites other memory, although the result may still be
//        right.
// READ   A tensor on the GPU
// CHECK  cargo learn check mul_kernel

kernel void mul_backward(global const float *grad_out,
                         global const float *a, global const float *b,
                         global float *grad_a, global float *grad_b, uint n)
{
    uint i = get_global_id(0);
    /* TODO(mul_kernel): check the bounds, write grad_a[i] and grad_b[i] */
}
