// One output element from the input elements at the same place. To add an
// operation, add a line at the end.

// An item has four elements: it asks the memory once for 16 bytes, where four
// items would ask four times for 4.

// Four elements from place `at` on, or as many as are `left`.
FOUR(ACC) take(global const T *a, uint at, uint left)
{
    if (left >= 4 && at % 4 == 0)
        return LOAD4(a, at);
    ACC x = LOAD(a, at);
    return (FOUR(ACC))(x, left > 1 ? LOAD(a, at + 1) : x,
                       left > 2 ? LOAD(a, at + 2) : x,
                       left > 3 ? LOAD(a, at + 3) : x);
}

void put(FOUR(ACC) four, global OUT *out, uint at, uint left)
{
    if (left >= 4) {
        STORE4(out, at, four);
        return;
    }
    STORE(out, at, four.x);
    if (left > 1)
        STORE(out, at + 1, four.y);
    if (left > 2)
        STORE(out, at + 2, four.z);
}

// (n) -> (n), dense from an offset on. `p` is the number of an operation
// that takes one.
#define UNARY(NAME, RESULT)                                                 \
    ACC NAME##_one(ACC x, ACC p) { return RESULT; }                         \
    kernel void NAME(global const T *a, uint a_offset, ACC p,               \
                     global OUT *out, uint n)                               \
    {                                                                       \
        uint i = get_global_id(0);                                          \
        if (i > (n - 1) / 4 || n == 0)                                      \
            return;                                                         \
        uint at = 4 * i;                                                    \
        FOUR(ACC) x = take(a, a_offset + at, n - at);                       \
        x.x = NAME##_one(x.x, p);                                           \
        x.y = NAME##_one(x.y, p);                                           \
        x.z = NAME##_one(x.z, p);                                           \
        x.w = NAME##_one(x.w, p);                                           \
        put(x, out, at, n - at);                                            \
    }

// ANCHOR: binary
// (n), (n) -> (n), dense from an offset on.
#define BINARY(NAME, RESULT)                                                \
    ACC NAME##_one(ACC x, ACC y) { return RESULT; }                         \
    kernel void NAME(global const T *a, uint a_offset,                      \
                     global const T *b, uint b_offset,                      \
                     global OUT *out, uint n)                               \
    {                                                                       \
        uint i = get_global_id(0);                                          \
        if (i > (n - 1) / 4 || n == 0)                                      \
            return;                                                         \
        uint at = 4 * i;                                                    \
        FOUR(ACC) x = take(a, a_offset + at, n - at);                       \
        FOUR(ACC) y = take(b, b_offset + at, n - at);                       \
        FOUR(ACC) four = (FOUR(ACC))(                                       \
            NAME##_one(x.x, y.x), NAME##_one(x.y, y.y),                     \
            NAME##_one(x.z, y.z), NAME##_one(x.w, y.w));                    \
        put(four, out, at, n - at);                                         \
    }
// ANCHOR_END: binary

// The same for operands with any strides and one shape, so that what is
// broadcast is read where it lies. An axis of size 1 costs no division; and
// where rows are whole fours, neither do three elements of each four.
#define AXIS(d)                                                             \
    if (shape.s##d > 1) {                                                   \
        uint next = rest / (uint)shape.s##d;                                \
        int index = rest - next * (uint)shape.s##d;                         \
        a_at += index * a_strides.s##d;                                     \
        b_at += index * b_strides.s##d;                                     \
        rest = next;                                                        \
    }
#define STRIDED(NAME, RESULT)                                               \
    kernel void NAME(global const T *a, uint a_offset, int8 a_strides,      \
                     global const T *b, uint b_offset, int8 b_strides,      \
                     int8 shape, global OUT *out, uint n)                   \
    {                                                                       \
        uint i = get_global_id(0);                                          \
        if (i > (n - 1) / 4 || n == 0)                                      \
            return;                                                         \
        uint first = 4 * i, count = min(n - first, 4u);                     \
        bool whole = shape.s7 % 4 == 0 && count == 4;                       \
        int a_at = 0, b_at = 0;                                             \
        ACC four[4] = { 0.0f, 0.0f, 0.0f, 0.0f };                           \
        for (uint j = 0; j < count; j++) {                                  \
            if (j == 0 || !whole) {                                         \
                uint rest = first + j;                                      \
                a_at = a_offset, b_at = b_offset;                           \
                AXIS(7) AXIS(6) AXIS(5) AXIS(4)                             \
                AXIS(3) AXIS(2) AXIS(1) AXIS(0)                             \
            } else {                                                        \
                a_at += a_strides.s7;                                       \
                b_at += b_strides.s7;                                       \
            }                                                               \
            ACC x = LOAD(a, a_at);                                          \
            ACC y = LOAD(b, b_at);                                          \
            four[j] = RESULT;                                               \
        }                                                                   \
        put((FOUR(ACC))(four[0], four[1], four[2], four[3]), out, first,    \
            count);                                                         \
    }

// 1 / (1 + e^-x), without a large exponential.
ACC sigmoid(ACC x)
{
    ACC small = exp(-fabs(x));
    return (x < 0.0f ? small : 1.0f) / (1.0f + small);
}

// Beyond 9.5 the tangent rounds to 1, and beyond 19.5 in `double`; some
// drivers end a bit below.
ACC flat_tanh(ACC x)
{
    return fabs(x) > (sizeof(ACC) == 8 ? 19.5f : 9.5f) ? sign(x) : tanh(x);
}

// The share of a bell that lies below x, times x. Far below, `1 + erf` would lose
// all digits.
ACC gelu(ACC x)
{
    return x * 0.5f * erfc(-x * sqrt((ACC)0.5f));
}

// The share, and x times the height there: in the middle it is `1 / sqrt(2 pi)`,
// whose last digits a float has no room for.
ACC gelu_slope(ACC x)
{
    ACC middle = (ACC)0.398942292f - (ACC)1.13351701e-08f;
    ACC below = 0.5f * erfc(-x * sqrt((ACC)0.5f));
    return below + x * middle * exp(-0.5f * x * x);
}

UNARY(unary_scale, x * p)
UNARY(unary_shift, x + p)
UNARY(unary_div_scalar, x / p)
UNARY(unary_rdiv_scalar, p / x)
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
UNARY(unary_gelu, gelu(x))
UNARY(unary_gelu_slope, gelu_slope(x))
UNARY(unary_log1p, log1p(x))
UNARY(unary_floor, floor(x))
UNARY(unary_round, rint(x))
UNARY(unary_sign, (ACC)((x > 0.0f) - (x < 0.0f)))

// ANCHOR: binary-lines
BINARY(binary_add, x + y)
BINARY(binary_mul, x * y)
BINARY(binary_div, x / y)
BINARY(binary_lt, x < y ? 1.0f : 0.0f)
BINARY(binary_le, x <= y ? 1.0f : 0.0f)
BINARY(binary_eq, x == y ? 1.0f : 0.0f)
BINARY(binary_pow, pow(x, y))
BINARY(binary_gelu_grads, gelu_slope(x) * y)
// ANCHOR_END: binary-lines

STRIDED(strided_add, x + y)
STRIDED(strided_mul, x * y)
STRIDED(strided_div, x / y)
STRIDED(strided_lt, x < y ? 1.0f : 0.0f)
STRIDED(strided_le, x <= y ? 1.0f : 0.0f)
STRIDED(strided_eq, x == y ? 1.0f : 0.0f)
STRIDED(strided_pow, pow(x, y))
