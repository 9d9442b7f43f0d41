// A step of Adam for several parameters at once. Each has x (n), its gradient
// (n), the running mean of its gradients (n) and of their squares (n), all
// dense -> the next x, mean and square, each (n). As operations it is fourteen
// launches for each, which read and write whole arrays.

// A kernel has no lists: for so many parameters it has so many names.
#define OF_1(DO) DO(0)
#define OF_2(DO) OF_1(DO) DO(1)
#define OF_4(DO) OF_2(DO) DO(2) DO(3)
#define OF_8(DO) OF_4(DO) DO(4) DO(5) DO(6) DO(7)
#define OF_16(DO)                                                           \
    OF_8(DO) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)

#define ARRAYS(p)                                                           \
    , global const T *x##p, global const T *grad##p,                        \
    global const T *mean##p, global const T *square##p,                     \
    global OUT *next##p, global OUT *next_mean##p,                          \
    global OUT *next_square##p
#define COUNT(p) , uint n##p

// The items of a parameter follow those of the one before.
#define STEP(p)                                                             \
    if (i < n##p) {                                                         \
        ACC g = LOAD(grad##p, i);                                           \
        ACC m = LOAD(mean##p, i) * keep + g * take;                         \
        ACC s = LOAD(square##p, i) * keep_square + g * g * take_square;     \
        ACC way = m / (sqrt(s) / whole + epsilon);                          \
        STORE(next##p, i, LOAD(x##p, i) * stay + way * rate);               \
        STORE(next_mean##p, i, m);                                          \
        STORE(next_square##p, i, s);                                        \
        return;                                                             \
    }                                                                       \
    i -= n##p;

#define ADAM(NAME, OF)                                                      \
    kernel void NAME(ACC keep, ACC take, ACC keep_square, ACC take_square,  \
                     ACC whole, ACC epsilon, ACC rate, ACC stay             \
                     OF(ARRAYS) OF(COUNT))                                  \
    {                                                                       \
        uint i = get_global_id(0);                                          \
        OF(STEP)                                                            \
    }

ADAM(adam_1, OF_1)
ADAM(adam_2, OF_2)
ADAM(adam_4, OF_4)
ADAM(adam_8, OF_8)
ADAM(adam_16, OF_16)
