// The Gaussian error linear unit, x times the standard normal distribution
// function at x: a (n) -> out (n).

float normal_cdf(float x)
{
    return 0.5f * (1.0f + erf(x * M_SQRT1_2_F));
}

kernel void ew_gelu(global const float *a, global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i] * normal_cdf(a[i]);
}

// Backward pass: grad_out (n), a (n) -> grad_a (n). The derivative of the
// distribution function is the normal density, exp(-x^2 / 2) / sqrt(2 pi).
kernel void gelu_backward(global const float *grad_out,
                          global const float *a, global float *grad_a, uint n)
{
    uint i = get_global_id(0);
    if (i < n) {
        float x = a[i];
        float density = exp(-0.5f * x * x) * 0.39894228f;
        grad_a[i] = grad_out[i] * (normal_cdf(x) + x * density);
    }
}
