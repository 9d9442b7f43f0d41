// ANCHOR: numbers
// How numbers lie in memory: the host puts this in front of each file of Part
// 3, and compiles in three types. T is that of a number that is read, OUT that
// of one that is written, and ACC that in which is computed; mostly they are
// one.
//
// A half is 16 bits that no device must compute with: it is read into a float
// and rounded to the nearest when it is written. Four of them go through
// memory as one piece of 8 bytes.

#define GLUE(type, count) type##count
#define FOUR(type) GLUE(type, 4)
#define CONVERTED(type, x) GLUE(convert_##type, 4)(x)

// A number, and four from a whole four on.
#ifdef T_IS_HALF
#define LOAD(a, at) vload_half(at, a)
#define LOAD4(a, at) load_halves((a) + (at))
float4 load_halves(global const half *a)
{
    ushort4 bits = *(global const ushort4 *)a;
    return vload_half4(0, (const half *)&bits);
}
#else
#define LOAD(a, at) ((a)[at])
#define LOAD4(a, at) (*(global const FOUR(T) *)((a) + (at)))
#endif

#ifdef OUT_IS_HALF
#define STORE(out, at, x) vstore_half_rte(x, at, out)
#define STORE4(out, at, x) store_halves((out) + (at), x)
void store_halves(global half *out, FOUR(ACC) x)
{
    ushort4 bits;
    vstore_half4_rte(x, 0, (half *)&bits);
    *(global ushort4 *)out = bits;
}
#else
#define STORE(out, at, x) ((out)[at] = (x))
#define STORE4(out, at, x)                                                  \
    (*(global FOUR(OUT) *)((out) + (at)) = CONVERT4(OUT, x))
#endif
#define CONVERT4(type, x) CONVERTED(type, x)
// ANCHOR_END: numbers
// The file begins.
#line 1
