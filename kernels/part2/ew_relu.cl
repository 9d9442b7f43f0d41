// ReLU: a (n) -> out (n). The comparison is written so that a NaN passes
// through.

kernel void ew_relu(global const float *a, global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i] <= 0.0f ? 0.0f : a[i];
}

// Backward pass: grad_out (n), a (n) -> grad_a (n). It selects instead of
// multiplying by 0 or 1, because 0 times infinity is NaN.
kernel void relu_backward(global const float *grad_out,
                          global const float *a, global float *grad_a, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        grad_a[i] = a[i] <= 0.0f ? 0.0f : grad_out[i];
}
