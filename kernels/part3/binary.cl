// Elementwise operations with two operands: a (n), b (n) -> out (n). One
// work-item per element.
// The lines at the end are generated from src/common/elementwise.rs.

// ANCHOR: binary
#define BINARY(NAME, RESULT)                                                \
    kernel void NAME(global const float *a, global const float *b,          \
                     global float *out, uint n)                             \
    {                                                                       \
        uint i = get_global_id(0);                                          \
        if (i < n) {                                                        \
            float x = a[i], y = b[i];                                       \
            out[i] = RESULT;                                                \
        }                                                                   \
    }

BINARY(plain_add, x + y)
BINARY(plain_mul, x * y)
BINARY(plain_div, x / y)
BINARY(plain_lt, x < y ? 1.0f : 0.0f)
BINARY(plain_le, x <= y ? 1.0f : 0.0f)
BINARY(plain_eq, x == y ? 1.0f : 0.0f)
BINARY(plain_pow_tensor, pow(x, y))
// ANCHOR_END: binary
