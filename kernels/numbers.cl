// ANCHOR: numbers
// How values are stored in memory. The host puts this file in front of every
// file of kernels/engine and compiles it with three types: T is the type of a
// value that is read, OUT the type of a value that is written, and ACC the
// type of the arithmetic. Usually all three are the same.
//
// A half is a 16-bit format that a device does not have to compute with: a
// half is converted to float when it is read and rounded to nearest even when
// it is written. Four halves move as one 8-byte word.

#define GLUE(type, count) type##count
#define FOUR(type) GLUE(type, 4)
#define CONVERTED(type, x) GLUE(convert_##type, 4)(x)

// Reads one value, or four consecutive values from an address aligned to four.
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

// OpenCL C has no variadic arguments; these macros repeat a declaration n
// times.
#define OF_1(DO) DO(0)
#define OF_2(DO) OF_1(DO) DO(1)
#define OF_4(DO) OF_2(DO) DO(2) DO(3)
#define OF_8(DO) OF_4(DO) DO(4) DO(5) DO(6) DO(7)
#define OF_16(DO)                                                           \
    OF_8(DO) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15)
#define OF_32(DO)                                                           \
    OF_16(DO) DO(16) DO(17) DO(18) DO(19) DO(20) DO(21) DO(22) DO(23)       \
    DO(24) DO(25) DO(26) DO(27) DO(28) DO(29) DO(30) DO(31)
// The kernel file begins here. `#line 1` gives compiler messages its line
// numbers.
#line 1
