// Elementwise operations with one operand: a (n) -> out (n). One work-item per
// element. `p` is the constant of the operations that have one.

#define UNARY(NAME, RESULT)                                                 \
    kernel void NAME(global const float *a, float p, global float *out,     \
                     uint n)                                                \
    {                                                                       \
        uint i = get_global_id(0);                                          \
        if (i < n) {                                                        \
            float x = a[i];                                                 \
            out[i] = RESULT;                                                \
        }                                                                   \
    }

// The type of the arithmetic.
#define ACC float

float sigmoid(float x)
{
    return 1.0f / (1.0f + exp(-x));
}

// Beyond 9.5, tanh rounds to 1, but some drivers return a smaller value.
float flat_tanh(float x)
{
    return fabs(x) > 9.5f ? copysign(1.0f, x) : tanh(x);
}

// The distribution function of the standard normal distribution. For very
// negative x, `1 + erf` would cancel, so it uses erfc.
float normal_cdf(float x)
{
    return 0.5f * erfc(-x * sqrt(0.5f));
}

// The density of the standard normal distribution, `exp(-x^2 / 2) / sqrt(2
// pi)`.
float normal_pdf(float x)
{
    return 0.398942280f * exp(-0.5f * x * x);
}

float gelu(float x)
{
    return x * normal_cdf(x);
}

float gelu_slope(float x)
{
    return normal_cdf(x) + x * normal_pdf(x);
}

// The lines below are generated from src/common/elementwise.rs. In `relu`, a
// comparison with NaN is false, so NaN stays NaN.
UNARY(plain_scale, x * p)
UNARY(plain_shift, x + p)
UNARY(plain_div_scalar, x / p)
UNARY(plain_rdiv_scalar, p / x)
UNARY(plain_sqrt, sqrt(x))
UNARY(plain_rsqrt, rsqrt(x))
UNARY(plain_square, x * x)
UNARY(plain_cube, x * x * x)
UNARY(plain_pow, pow(x, p))
UNARY(plain_exp, exp(x))
UNARY(plain_exp2, exp2(x))
UNARY(plain_log, log(x))
UNARY(plain_log2, log2(x))
UNARY(plain_relu, x <= 0.0f ? 0.0f : x)
UNARY(plain_tanh, flat_tanh(x))
UNARY(plain_sigmoid, sigmoid(x))
UNARY(plain_sin, sin(x))
UNARY(plain_cos, cos(x))
UNARY(plain_erf, erf(x))
UNARY(plain_gelu, gelu(x))
UNARY(plain_gelu_slope, gelu_slope(x))
UNARY(plain_log1p, log1p(x))
UNARY(plain_floor, floor(x))
UNARY(plain_round, rint(x))
UNARY(plain_sign, (ACC)((x > 0.0f) - (x < 0.0f)))
