// The gradient of a copy: what relu has shut lets the gradient through.

kernel void relu(global const float *a, global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = fmax(a[i], 0.0f);
}

kernel void relu_backward(global const float *grad_out,
                          global const float *a, global float *grad_a,
                          uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        grad_a[i] = grad_out[i];
}
