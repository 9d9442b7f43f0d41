// One Adam step for several parameters at once. Each parameter has x (n) and
// its gradient (n), dense -> the next x (n). The running means of all
// gradients are concatenated in one array, beginning at mean_at, and the
// running means of their squares in another -> their next values, beginning at
// next_at. They are concatenated because the cost of a launch grows with the
// number of its arrays. Composed from elementwise operations, a step would
// take fourteen launches per parameter, each of which reads and writes whole
// arrays.
//
// rest1 and rest2 are 1 - beta1 and 1 - beta2; bias_correction divides the
// square root, rate is the negative step size, and decay_factor the factor of
// weight decay.

#define ARRAYS(p)                                                           \
    , global const T *x##p, global const T *grad##p, global OUT *next##p
#define COUNT(p) , uint n##p

// Each parameter has its own range of items, after the previous range.
#define UPDATE(p)                                                           \
    if (i < n##p) {                                                         \
        ACC g = LOAD(grad##p, i);                                           \
        ACC m = LOAD(mean, mean_at + index) * beta1 + g * rest1;            \
        ACC s = LOAD(square, square_at + index) * beta2                     \
                + g * g * rest2;                                            \
        ACC update = m / (sqrt(s) / bias_correction + epsilon);             \
        STORE(next##p, i, LOAD(x##p, i) * decay_factor + update * rate);    \
        STORE(next_mean, next_at + index, m);                               \
        STORE(next_square, next_at + index, s);                             \
        return;                                                             \
    }                                                                       \
    i -= n##p;

#define ADAM(NAME, REPEAT)                                                  \
    kernel void NAME(ACC beta1, ACC rest1, ACC beta2, ACC rest2,            \
                     ACC bias_correction, ACC epsilon, ACC rate,            \
                     ACC decay_factor,                                      \
                     global const T *mean, uint mean_at,                    \
                     global const T *square, uint square_at,                \
                     global OUT *next_mean, global OUT *next_square,        \
                     uint next_at REPEAT(ARRAYS) REPEAT(COUNT))             \
    {                                                                       \
        uint index = get_global_id(0), i = index;                           \
        REPEAT(UPDATE)                                                      \
    }

ADAM(adam_1, OF_1)
ADAM(adam_2, OF_2)
ADAM(adam_4, OF_4)
ADAM(adam_8, OF_8)
ADAM(adam_16, OF_16)
ADAM(adam_32, OF_32)
