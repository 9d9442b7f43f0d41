// One output element from the input elements at the same place. `T` is the
// type of a number, here and in the other files, and `ACC` that of a running
// sum: the host compiles them in. To add an
// operation, add a line at the end.

// (n) -> (n), dense from an offset on. `p` is the number of an operation
// that takes one.
#define UNARY(NAME, RESULT)                                                 \
    kernel void NAME(global const T *a, uint a_offset, float p,             \
                     global T *out, uint n)                                 \
    {                                                                       \
        uint i = get_global_id(0);                                          \
        if (i < n) {                                                        \
            T x = a[a_offset + i];                                          \
            out[i] = RESULT;                                                \
        }                                                                   \
    }

// ANCHOR: binary
// (n), (n) -> (n), dense from an offset on.
#define BINARY(NAME, RESULT)                                                \
    kernel void NAME(global const T *a, uint a_offset,                      \
                     global const T *b, uint b_offset,                      \
                     global T *out, uint n)                                 \
    {                                                                       \
        uint i = get_global_id(0);                                          \
        if (i < n) {                                                        \
            T x = a[a_offset + i];                                          \
            T y = b[b_offset + i];                                          \
            out[i] = RESULT;                                                \
        }                                                                   \
    }
// ANCHOR_END: binary

// The same for operands with any strides and one shape, so that what is
// broadcast is read where it lies.
#define STRIDED(NAME, RESULT)                                               \
    kernel void NAME(global const T *a, uint a_offset, int8 a_strides,      \
                     global const T *b, uint b_offset, int8 b_strides,      \
                     int8 shape, global T *out, uint n)                     \
    {                                                                       \
        uint i = get_global_id(0);                                          \
        if (i >= n)                                                         \
            return;                                                         \
        int sizes[8], a_steps[8], b_steps[8];                               \
        vstore8(shape, 0, sizes);                                           \
        vstore8(a_strides, 0, a_steps);                                     \
        vstore8(b_strides, 0, b_steps);                                     \
        int rest = i, a_at = a_offset, b_at = b_offset;                     \
        for (int axis = 7; axis >= 0; axis--) {                             \
            int index = rest % sizes[axis];                                 \
            a_at += index * a_steps[axis];                                  \
            b_at += index * b_steps[axis];                                  \
            rest /= sizes[axis];                                            \
        }                                                                   \
        T x = a[a_at];                                                      \
        T y = b[b_at];                                                      \
        out[i] = RESULT;                                                    \
    }

// 1 / (1 + e^-x), without a large exponential.
T sigmoid(T x)
{
    T small = exp(-fabs(x));
    return x < 0.0f ? small / (1.0f + small) : 1.0f / (1.0f + small);
}

// Beyond 9.5 the tangent rounds to 1, and some drivers end a bit below.
T flat_tanh(T x)
{
    return fabs(x) > 9.5f ? sign(x) : tanh(x);
}

UNARY(unary_scale, x * p)
UNARY(unary_shift, x + p)
UNARY(unary_over, x / p)
UNARY(unary_under, p / x)
UNARY(unary_sqrt, sqrt(x))
UNARY(unary_square, x * x)
UNARY(unary_pow, pow(x, p))
UNARY(unary_exp, exp(x))
UNARY(unary_log, log(x))
UNARY(unary_relu, x <= 0.0f ? 0.0f : x)
UNARY(unary_tanh, flat_tanh(x))
UNARY(unary_sigmoid, sigmoid(x))
UNARY(unary_sin, sin(x))
UNARY(unary_cos, cos(x))
UNARY(unary_erf, erf(x))
UNARY(unary_log1p, log1p(x))
UNARY(unary_floor, floor(x))
UNARY(unary_round, rint(x))
UNARY(unary_sign, (T)((x > 0.0f) - (x < 0.0f)))

// ANCHOR: binary-lines
BINARY(binary_add, x + y)
BINARY(binary_mul, x * y)
BINARY(binary_div, x / y)
BINARY(binary_less, x < y ? 1.0f : 0.0f)
BINARY(binary_at_most, x <= y ? 1.0f : 0.0f)
BINARY(binary_equal, x == y ? 1.0f : 0.0f)
BINARY(binary_pow, pow(x, y))
// ANCHOR_END: binary-lines

STRIDED(strided_add, x + y)
STRIDED(strided_mul, x * y)
STRIDED(strided_div, x / y)
STRIDED(strided_less, x < y ? 1.0f : 0.0f)
STRIDED(strided_at_most, x <= y ? 1.0f : 0.0f)
STRIDED(strided_equal, x == y ? 1.0f : 0.0f)
STRIDED(strided_pow, pow(x, y))
