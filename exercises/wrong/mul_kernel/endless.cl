// A loop in the place of the guard, and nothing in it changes i.

kernel void mul_backward(global const float *grad_out,
                         global const float *a, global const float *b,
                         global float *grad_a, global float *grad_b, uint n)
{
    uint i = get_global_id(0);
    while (i < n) {
        grad_a[i] = grad_out[i] * b[i];
        grad_b[i] = grad_out[i] * a[i];
    }
}
