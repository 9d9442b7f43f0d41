// Computes each output element from the input elements at the same index.

// Elements per item: one 16-byte load instead of four loads of 4 bytes.
#if defined(T_IS_HALF) && defined(OUT_IS_HALF)
#define EACH 8
#else
#define EACH 4
#endif

// Loads EACH elements beginning at index `at`, of which `left` remain in the
// array. Past the end the last element is repeated.
void take(global const T *a, uint at, uint left, ACC *x)
{
    if (left >= EACH && at % EACH == 0) {
#if EACH == 8
        ushort8 bits = *(global const ushort8 *)(a + at);
        vstore8(vload_half8(0, (const half *)&bits), 0, x);
#else
        vstore4(LOAD4(a, at), 0, x);
#endif
        return;
    }
    for (uint k = 0; k < EACH; k++)
        x[k] = LOAD(a, at + min(k, left - 1));
}

void put(const ACC *x, global OUT *out, uint at, uint left)
{
    if (left >= EACH) {
#if EACH == 8
        ushort8 bits;
        vstore_half8_rte(vload8(0, x), 0, (half *)&bits);
        *(global ushort8 *)(out + at) = bits;
#else
        STORE4(out, at, vload4(0, x));
#endif
        return;
    }
    for (uint k = 0; k < left; k++)
        STORE(out, at + k, x[k]);
}

// (n) -> (n), dense, beginning at an offset. `p` is the scalar parameter of
// the operations that have one.
#define UNARY(NAME, RESULT)                                                 \
    ACC NAME##_one(ACC x, ACC p) { return RESULT; }                         \
    kernel void NAME(global const T *a, uint a_offset, ACC p,               \
                     global OUT *out, uint n)                               \
    {                                                                       \
        uint i = get_global_id(0);                                          \
        if (i > (n - 1) / EACH || n == 0)                                   \
            return;                                                         \
        uint at = EACH * i;                                                 \
        ACC x[EACH];                                                        \
        take(a, a_offset + at, n - at, x);                                  \
        _Pragma("unroll") for (uint k = 0; k < EACH; k++)                   \
            x[k] = NAME##_one(x[k], p);                                     \
        put(x, out, at, n - at);                                            \
    }

// (n), (n) -> (n), dense, each beginning at an offset.
#define BINARY(NAME, RESULT)                                                \
    ACC NAME##_one(ACC x, ACC y) { return RESULT; }                         \
    kernel void NAME(global const T *a, uint a_offset,                      \
                     global const T *b, uint b_offset,                      \
                     global OUT *out, uint n)                               \
    {                                                                       \
        uint i = get_global_id(0);                                          \
        if (i > (n - 1) / EACH || n == 0)                                   \
            return;                                                         \
        uint at = EACH * i;                                                 \
        ACC x[EACH], y[EACH];                                               \
        take(a, a_offset + at, n - at, x);                                  \
        take(b, b_offset + at, n - at, y);                                  \
        _Pragma("unroll") for (uint k = 0; k < EACH; k++)                   \
            x[k] = NAME##_one(x[k], y[k]);                                  \
        put(x, out, at, n - at);                                            \
    }

// The same for operands of one shape with any strides, so that broadcast
// operands need no copy. An axis of size 1 costs no division. If the rows are
// a multiple of EACH, only the first element of an item costs divisions.
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
        if (i > (n - 1) / EACH || n == 0)                                   \
            return;                                                         \
        uint first = EACH * i, count = min(n - first, (uint)EACH);          \
        bool whole = shape.s7 % EACH == 0 && count == EACH;                 \
        int a_at = 0, b_at = 0;                                             \
        ACC all[EACH];                                                      \
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
            all[j] = RESULT;                                                \
        }                                                                   \
        put(all, out, first, count);                                        \
    }

// native_recip may be off by one unit in the last place, and it exists only
// for float.
ACC sigmoid(ACC x)
{
    ACC whole = 1.0f + exp(-x);
    return sizeof(ACC) == 8 ? 1.0f / whole : native_recip((float)whole);
}

// Beyond 9.5, or 19.5 in `double`, tanh rounds to 1, but some drivers return a
// slightly smaller value. tanh is computed in any case: a selection needs no
// branch.
ACC flat_tanh(ACC x)
{
    ACC y = tanh(x);
    return fabs(x) > (sizeof(ACC) == 8 ? 19.5f : 9.5f) ? copysign((ACC)1, x)
                                                       : y;
}

// x times the standard normal distribution function. For very negative x, `1 +
// erf` would cancel, so it uses erfc.
ACC gelu(ACC x)
{
    return x * 0.5f * erfc(-x * sqrt((ACC)0.5f));
}

// The derivative of gelu: the distribution function plus x times the density.
// The constant `1 / sqrt(2 pi)` is a sum because a float literal cannot hold
// its last digits.
ACC gelu_slope(ACC x)
{
    ACC middle = (ACC)0.398942292f - (ACC)1.13351701e-08f;
    ACC below = 0.5f * erfc(-x * sqrt((ACC)0.5f));
    return below + x * middle * exp(-0.5f * x * x);
}

BINARY(binary_gelu_grads, gelu_slope(x) * y)

// The lines below are generated from src/common/elementwise.rs.
UNARY(unary_scale, x * p)
UNARY(unary_shift, x + p)
UNARY(unary_div_scalar, x / p)
UNARY(unary_rdiv_scalar, p / x)
UNARY(unary_sqrt, sqrt(x))
UNARY(unary_rsqrt, rsqrt(x))
UNARY(unary_square, x * x)
UNARY(unary_cube, x * x * x)
UNARY(unary_pow, pow(x, p))
UNARY(unary_exp, exp(x))
UNARY(unary_exp2, exp2(x))
UNARY(unary_log, log(x))
UNARY(unary_log2, log2(x))
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

BINARY(binary_add, x + y)
BINARY(binary_mul, x * y)
BINARY(binary_div, x / y)
BINARY(binary_lt, x < y ? 1.0f : 0.0f)
BINARY(binary_le, x <= y ? 1.0f : 0.0f)
BINARY(binary_eq, x == y ? 1.0f : 0.0f)
BINARY(binary_pow_tensor, pow(x, y))

STRIDED(strided_add, x + y)
STRIDED(strided_mul, x * y)
STRIDED(strided_div, x / y)
STRIDED(strided_lt, x < y ? 1.0f : 0.0f)
STRIDED(strided_le, x <= y ? 1.0f : 0.0f)
STRIDED(strided_eq, x == y ? 1.0f : 0.0f)
STRIDED(strided_pow_tensor, pow(x, y))
