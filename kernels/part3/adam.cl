// A step of Adam for several parameters at once. Each has x (n) and its gradient
// (n), dense -> the next x (n). The running means of all gradients follow one
// another in one array, from mean_at on, and those of their squares in another
// -> the next ones, from next_at on: what a driver takes for a launch depends on
// how many arrays it has. As operations a step is fourteen launches for each
// parameter, which read and write whole arrays.

#define ARRAYS(p)                                                           \
    , global const T *x##p, global const T *grad##p, global OUT *next##p
#define COUNT(p) , uint n##p

// The items of a parameter follow those of the one before.
#define STEP(p)                                                             \
    if (i < n##p) {                                                         \
        ACC g = LOAD(grad##p, i);                                           \
        ACC m = LOAD(mean, mean_at + at) * keep + g * take;                 \
        ACC s = LOAD(square, square_at + at) * keep_square                  \
                + g * g * take_square;                                      \
        ACC way = m / (sqrt(s) / whole + epsilon);                          \
        STORE(next##p, i, LOAD(x##p, i) * stay + way * rate);               \
        STORE(next_mean, next_at + at, m);                                  \
        STORE(next_square, next_at + at, s);                                \
        return;                                                             \
    }                                                                       \
    i -= n##p;

#define ADAM(NAME, OF)                                                      \
    kernel void NAME(ACC keep, ACC take, ACC keep_square, ACC take_square,  \
                     ACC whole, ACC epsilon, ACC rate, ACC stay,            \
                     global const T *mean, uint mean_at,                    \
                     global const T *square, uint square_at,                \
                     global OUT *next_mean, global OUT *next_square,        \
                     uint next_at OF(ARRAYS) OF(COUNT))                     \
    {                                                                       \
        uint at = get_global_id(0), i = at;                                 \
        OF(STEP)                                                            \
    }

ADAM(adam_1, OF_1)
ADAM(adam_2, OF_2)
ADAM(adam_4, OF_4)
ADAM(adam_8, OF_8)
ADAM(adam_16, OF_16)
ADAM(adam_32, OF_32)
