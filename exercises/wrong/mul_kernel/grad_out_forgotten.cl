// The slope of the product alone, without what arrived from above.

kernel void mul_backward(global const float *grad_out,
                         global const float *a, global const float *b,
                         global float *grad_a, global float *grad_b, uint n)
{
    uint i = get_global_id(0);
    if (i < n) {
        grad_a[i] = b[i];
        grad_b[i] = a[i];
    }
}
