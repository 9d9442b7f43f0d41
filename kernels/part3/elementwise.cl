// One output element from the input elements at the same place, for dense
// arrays that begin at an offset: (n) -> (n) and (n), (n) -> (n). To add an
// operation, add a line at the end.

#define UNARY(NAME, RESULT)                                                 \
    kernel void NAME(global const float *a, uint a_offset,                  \
                     global float *out, uint n)                             \
    {                                                                       \
        uint i = get_global_id(0);                                          \
        if (i < n) {                                                        \
            float x = a[a_offset + i];                                      \
            out[i] = RESULT;                                                \
        }                                                                   \
    }

#define BINARY(NAME, RESULT)                                                \
    kernel void NAME(global const float *a, uint a_offset,                  \
                     global const float *b, uint b_offset,                  \
                     global float *out, uint n)                             \
    {                                                                       \
        uint i = get_global_id(0);                                          \
        if (i < n) {                                                        \
            float x = a[a_offset + i];                                      \
            float y = b[b_offset + i];                                      \
            out[i] = RESULT;                                                \
        }                                                                   \
    }

UNARY(unary_exp, exp(x))

BINARY(binary_add, x + y)
BINARY(binary_mul, x * y)
