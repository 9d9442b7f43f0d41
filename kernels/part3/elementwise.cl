// One output element from the input elements at the same place. `T` is the
// type of a number, here and in the other files, and `ACC` that of a running
// sum: the host compiles them in. To add an
// operation, add a line at the end.

// An item has four elements: it asks the memory once for 16 bytes, where four
// items would ask four times for 4.
#define GLUE(type, count) type##count
#define FOUR(type) GLUE(type, 4)

// Four elements from place `at` on, or as many as are `left`.
FOUR(T) take(global const T *a, uint at, uint left)
{
    if (left >= 4 && at % 4 == 0)
        return *(global const FOUR(T) *)(a + at);
    return (FOUR(T))(a[at], left > 1 ? a[at + 1] : a[at],
                     left > 2 ? a[at + 2] : a[at],
                     left > 3 ? a[at + 3] : a[at]);
}

void put(FOUR(T) four, global T *out, uint at, uint left)
{
    if (left >= 4) {
        *(global FOUR(T) *)(out + at) = four;
        return;
    }
    out[at] = four.x;
    if (left > 1)
        out[at + 1] = four.y;
    if (left > 2)
        out[at + 2] = four.z;
}

// (n) -> (n), dense from an offset on. `p` is the number of an operation
// that takes one.
#define UNARY(NAME, RESULT)                                                 \
    T NAME##_one(T x, float p) { return RESULT; }                           \
    kernel void NAME(global const T *a, uint a_offset, float p,             \
                     global T *out, uint n)                                 \
    {                                                                       \
        uint i = get_global_id(0);                                          \
        if (i > (n - 1) / 4 || n == 0)                                      \
            return;                                                         \
        uint at = 4 * i;                                                    \
        FOUR(T) x = take(a, a_offset + at, n - at);                         \
        x.x = NAME##_one(x.x, p);                                           \
        x.y = NAME##_one(x.y, p);                                           \
        x.z = NAME##_one(x.z, p);                                           \
        x.w = NAME##_one(x.w, p);                                           \
        put(x, out, at, n - at);                                            \
    }

// ANCHOR: binary
// (n), (n) -> (n), dense from an offset on.
#define BINARY(NAME, RESULT)                                                \
    T NAME##_one(T x, T y) { return RESULT; }                               \
    kernel void NAME(global const T *a, uint a_offset,                      \
                     global const T *b, uint b_offset,                      \
                     global T *out, uint n)                                 \
    {                                                                       \
        uint i = get_global_id(0);                                          \
        if (i > (n - 1) / 4 || n == 0)                                      \
            return;                                                         \
        uint at = 4 * i;                                                    \
        FOUR(T) x = take(a, a_offset + at, n - at);                         \
        FOUR(T) y = take(b, b_offset + at, n - at);                         \
        FOUR(T) four = (FOUR(T))(                                           \
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
                     int8 shape, global T *out, uint n)                     \
    {                                                                       \
        uint i = get_global_id(0);                                          \
        if (i > (n - 1) / 4 || n == 0)                                      \
            return;                                                         \
        uint first = 4 * i, count = min(n - first, 4u);                     \
        bool whole = shape.s7 % 4 == 0 && count == 4;                       \
        int a_at = 0, b_at = 0;                                             \
        T four[4] = { 0.0f, 0.0f, 0.0f, 0.0f };                             \
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
            T x = a[a_at];                                                  \
            T y = b[b_at];                                                  \
            four[j] = RESULT;                                               \
        }                                                                   \
        put((FOUR(T))(four[0], four[1], four[2], four[3]), out, first,      \
            count);                                                         \
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
UNARY(unary_log1p, log1p(x))
UNARY(unary_floor, floor(x))
UNARY(unary_round, rint(x))
UNARY(unary_sign, (T)((x > 0.0f) - (x < 0.0f)))

// ANCHOR: binary-lines
BINARY(binary_add, x + y)
BINARY(binary_mul, x * y)
BINARY(binary_div, x / y)
BINARY(binary_lt, x < y ? 1.0f : 0.0f)
BINARY(binary_le, x <= y ? 1.0f : 0.0f)
BINARY(binary_eq, x == y ? 1.0f : 0.0f)
BINARY(binary_pow, pow(x, y))
// ANCHOR_END: binary-lines

STRIDED(strided_add, x + y)
STRIDED(strided_mul, x * y)
STRIDED(strided_div, x / y)
STRIDED(strided_lt, x < y ? 1.0f : 0.0f)
STRIDED(strided_le, x <= y ? 1.0f : 0.0f)
STRIDED(strided_eq, x == y ? 1.0f : 0.0f)
STRIDED(strided_pow, pow(x, y))
