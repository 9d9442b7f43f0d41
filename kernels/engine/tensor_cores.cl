// The multiplication of product.cl, for plain matrices, on tensor cores: units
// that multiply a 16 x 8 tile by an 8 x 8 tile for the 32 items of a warp at
// once.
//
// Tensor cores take values of 11 significant bits (TF32: a float with a
// truncated mantissa). To keep the accuracy of float, each value is split into
// two parts, x = high + low, and three of the four products are added: low *
// high, high * low and high * high. The fourth, low * low, is smaller than the
// rounding error of a float. A tensor core also truncates its running sum
// towards 0 instead of rounding it, so only CHAIN products are summed there;
// these sums are added to the total as usual.
//
// The compile-time parameters are CORES: 1 uses the instruction of NVIDIA's
// tensor cores (compute capability 8.0 and higher), 0 computes the same tiles
// in plain OpenCL C for other devices; TILE_M, TILE_N: the tile of a group;
// WARP_M, WARP_N: the tile of a warp, whole tiles of 16 x 8; A_ALONG_K,
// B_ALONG_N, FOURS: as in product.cl.

#define ALIGNED __attribute__((aligned(16)))
#define ITEMS (TILE_M / WARP_M * (TILE_N / WARP_N) * 32)
#define DEPTH 16
#define CHAIN 64
// Number of 16 x 8 tiles of a warp.
#define DOWN (WARP_M / 16)
#define ACROSS (WARP_N / 8)

#if FOURS
#define LOAD_WIDTH 4
#define LOADED FOUR(T)
#else
#define LOAD_WIDTH 1
#define LOADED T
#endif
#define A_LOADS (TILE_M * DEPTH / LOAD_WIDTH / ITEMS)
#define B_LOADS (TILE_N * DEPTH / LOAD_WIDTH / ITEMS)

// The position of the `i`-th load of an item, across the lines of an operand
// and along k, and the index of an element in local memory. Elements that are
// adjacent in the matrix stay adjacent in local memory, but blocks are
// permuted (swizzled) so that 32 items that read or write at once use all
// banks: blocks of four along k, or of eight across it.
#define LOAD_INDEX(i) ((item + (i) * ITEMS) * LOAD_WIDTH)
#define ALONG_SIDE(tile, i) (LOAD_INDEX(i) / DEPTH)
#define ALONG_DEPTH(tile, i) (LOAD_INDEX(i) % DEPTH)
#define ALONG(tile, side, depth)                                            \
    ((side) * DEPTH + ((depth) / 4 ^ (side) / 2 % 4) * 4 + (depth) % 4)
#define ACROSS_SIDE(tile, i) (LOAD_INDEX(i) % (tile))
#define ACROSS_DEPTH(tile, i) (LOAD_INDEX(i) / (tile))
#define ACROSS_K(tile, side, depth)                                         \
    ((depth) * (tile) + ((side) ^ (depth) / 4 * 8))
#if A_ALONG_K
#define A_SIDE(i) ALONG_SIDE(TILE_M, i)
#define A_DEPTH(i) ALONG_DEPTH(TILE_M, i)
#define A_INDEX(side, depth) ALONG(TILE_M, side, depth)
#else
#define A_SIDE(i) ACROSS_SIDE(TILE_M, i)
#define A_DEPTH(i) ACROSS_DEPTH(TILE_M, i)
#define A_INDEX(side, depth) ACROSS_K(TILE_M, side, depth)
#endif
#if B_ALONG_N
#define B_SIDE(i) ACROSS_SIDE(TILE_N, i)
#define B_DEPTH(i) ACROSS_DEPTH(TILE_N, i)
#define B_INDEX(side, depth) ACROSS_K(TILE_N, side, depth)
#else
#define B_SIDE(i) ALONG_SIDE(TILE_N, i)
#define B_DEPTH(i) ALONG_DEPTH(TILE_N, i)
#define B_INDEX(side, depth) ALONG(TILE_N, side, depth)
#endif
#define A_AT(row, l) (a_from + (row) * a_to.s2 + (l) * a_to.s5)
#define B_AT(column, l) (b_from + (column) * b_to.s2 + (l) * b_to.s5)

// Loads the item's elements of the tiles at `start`. Elements outside the
// matrices are 0 and add nothing.
#define FETCH(start)                                                        \
    do {                                                                    \
        bool inside = top + TILE_M <= m && left + TILE_N <= n               \
                      && (start) + DEPTH <= to;                             \
        _Pragma("unroll") for (int i = 0; i < A_LOADS; i++) {               \
            int row = top + A_SIDE(i), l = (start) + A_DEPTH(i);            \
            a_loaded[i] = inside || (row < m && l < to)                     \
                ? *(global const LOADED *)&a[A_AT(row, l)]                  \
                : (LOADED)(0.0f);                                           \
        }                                                                   \
        _Pragma("unroll") for (int i = 0; i < B_LOADS; i++) {               \
            int column = left + B_SIDE(i), l = (start) + B_DEPTH(i);        \
            b_loaded[i] = inside || (column < n && l < to)                  \
                ? *(global const LOADED *)&b[B_AT(column, l)]               \
                : (LOADED)(0.0f);                                           \
        }                                                                   \
    } while (0)

// ANCHOR: parts
// Splits four elements of one line of a tile, beginning at `depth`, into two
// parts each. The high part is the value rounded to 11 bits.
#define SPLIT_LINE(high, low, tile, INDEX, along_k, side, depth)            \
    do {                                                                    \
        if (along_k)                                                        \
            *(FOUR(T) *)(low) =                                             \
                *(local const FOUR(T) *)&(tile)[INDEX(side, depth)];        \
        else                                                                \
            _Pragma("unroll") for (int t = 0; t < 4; t++)                   \
                (low)[t] = (tile)[INDEX(side, (depth) + t)];                \
        _Pragma("unroll") for (int t = 0; t < 4; t++)                       \
        {                                                                   \
            uint bits = as_uint((low)[t]) + 0x1000u;                        \
            (high)[t] = as_float(bits & 0xffffe000u);                       \
            (low)[t] -= (high)[t];                                          \
        }                                                                   \
    } while (0)
// ANCHOR_END: parts
#define A_PARTS(high, low, row, depth)                                      \
    SPLIT_LINE(high, low, a_now, A_INDEX, A_ALONG_K, row, depth)
#define B_PARTS(high, low, column, depth)                                   \
    SPLIT_LINE(high, low, b_now, B_INDEX, !B_ALONG_N, column, depth)

// ANCHOR: multiply
// Multiplies 16 x 8 by 8 x 8 and adds the result to `sum`. Each of the 32
// items contributes two lines of a and one of b, of which the core takes the
// elements 2 * step and 2 * step + 1.
#if CORES
#define MULTIPLY(sum, a, b, step)                                           \
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "      \
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"    \
                 : "+f"((sum)[0]), "+f"((sum)[1]), "+f"((sum)[2]),          \
                   "+f"((sum)[3])                                           \
                 : "r"(as_uint((a)[0][2 * (step)])),                        \
                   "r"(as_uint((a)[1][2 * (step)])),                        \
                   "r"(as_uint((a)[0][2 * (step) + 1])),                    \
                   "r"(as_uint((a)[1][2 * (step) + 1])),                    \
                   "r"(as_uint((b)[2 * (step)])),                           \
                   "r"(as_uint((b)[2 * (step) + 1])))
#endif
// ANCHOR_END: multiply

// The position of element `c` of an item's four in tile (i, j) of its warp.
#define ROW(i, c) (y + (i) * 16 + (c) / 2 * 8 + eighth)
#define COLUMN(j, c) (x + (j) * 8 + quarter * 2 + (c) % 2)

// For the arguments see product.cl; only the strides and sizes of the last
// axes are used.
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void product_tensor_cores(
    global const T *a, uint a_offset, int8 a_to, global const T *b,
    uint b_offset, int8 b_to, int8 sizes, global OUT *out, int m, int k, int n)
{
    local T a_tile[2][TILE_M * DEPTH] ALIGNED;
    local T b_tile[2][TILE_N * DEPTH] ALIGNED;
    int item = get_local_id(0), warp = item / 32;
    int eighth = item % 32 / 4, quarter = item % 4;
    int y = warp / (TILE_N / WARP_N) * WARP_M;
    int x = warp % (TILE_N / WARP_N) * WARP_N;
    int top = get_group_id(1) * TILE_M, left = get_group_id(0) * TILE_N;
    int batches = sizes.s6, length = sizes.s7;
    int parts = (k - 1) / length + 1;

    for (int task = get_group_id(2); task < batches * parts;
         task += get_num_groups(2)) {
        int part = task / batches, batch = task - part * batches;
        int from = part * length;
        int to = min(from + length, k);
        int a_from = (int)a_offset + batch * a_to.s6;
        int b_from = (int)b_offset + batch * b_to.s6;

        LOADED a_loaded[A_LOADS], b_loaded[B_LOADS];
        ACC total[DOWN][ACROSS][4], sum[DOWN][ACROSS][4];
        #pragma unroll
        for (int i = 0; i < DOWN; i++)
            #pragma unroll
            for (int j = 0; j < ACROSS; j++)
                #pragma unroll
                for (int c = 0; c < 4; c++)
                    total[i][j][c] = sum[i][j][c] = 0.0f;

        FETCH(from);
        int side = 0;
        for (int start = from; start < to; start += DEPTH) {
            #pragma unroll
            for (int i = 0; i < A_LOADS; i++)
                *(local LOADED *)&a_tile[side][A_INDEX(A_SIDE(i), A_DEPTH(i))] =
                    a_loaded[i];
            #pragma unroll
            for (int i = 0; i < B_LOADS; i++)
                *(local LOADED *)&b_tile[side][B_INDEX(B_SIDE(i), B_DEPTH(i))] =
                    b_loaded[i];
            // One barrier is enough, because the next tiles go to the other
            // buffer.
            barrier(CLK_LOCAL_MEM_FENCE);
            // Past the end this reads nothing.
            FETCH(start + DEPTH);

            local const T *a_now = a_tile[side], *b_now = b_tile[side];
            side = 1 - side;
#if CORES
            T b_high[ACROSS][4] ALIGNED, b_low[ACROSS][4] ALIGNED;
            #pragma unroll
            for (int j = 0; j < ACROSS; j++)
                B_PARTS(b_high[j], b_low[j], x + j * 8 + eighth, quarter * 4);
            #pragma unroll
            for (int i = 0; i < DOWN; i++) {
                T high[2][4] ALIGNED, low[2][4] ALIGNED;
                A_PARTS(high[0], low[0], y + i * 16 + eighth, quarter * 4);
                A_PARTS(high[1], low[1], y + i * 16 + 8 + eighth, quarter * 4);
                #pragma unroll
                for (int step = 0; step < 2; step++) {
                    #pragma unroll
                    for (int j = 0; j < ACROSS; j++)
                        MULTIPLY(sum[i][j], low, b_high[j], step);
                    #pragma unroll
                    for (int j = 0; j < ACROSS; j++)
                        MULTIPLY(sum[i][j], high, b_low[j], step);
                    #pragma unroll
                    for (int j = 0; j < ACROSS; j++)
                        MULTIPLY(sum[i][j], high, b_high[j], step);
                }
            }
#else
            // Each item computes its own four elements, from the same parts.
            for (int d = 0; d < DEPTH; d += 4) {
                T b_high[ACROSS][2][4] ALIGNED, b_low[ACROSS][2][4] ALIGNED;
                for (int j = 0; j < ACROSS; j++)
                    for (int w = 0; w < 2; w++)
                        B_PARTS(b_high[j][w], b_low[j][w], COLUMN(j, w), d);
                for (int i = 0; i < DOWN; i++)
                    for (int h = 0; h < 2; h++) {
                        T high[4] ALIGNED, low[4] ALIGNED;
                        A_PARTS(high, low, ROW(i, 2 * h), d);
                        for (int j = 0; j < ACROSS; j++)
                            for (int w = 0; w < 2; w++)
                                for (int e = 0; e < 4; e++)
                                    sum[i][j][2 * h + w] +=
                                        low[e] * b_high[j][w][e]
                                        + high[e] * b_low[j][w][e]
                                        + high[e] * b_high[j][w][e];
                    }
            }
#endif
            if ((start - from) % CHAIN == CHAIN - DEPTH)
                #pragma unroll
                for (int i = 0; i < DOWN; i++)
                    #pragma unroll
                    for (int j = 0; j < ACROSS; j++)
                        #pragma unroll
                        for (int c = 0; c < 4; c++) {
                            total[i][j][c] += sum[i][j][c];
                            sum[i][j][c] = 0.0f;
                        }
        }
        // The next tiles are written where other items may still read.
        barrier(CLK_LOCAL_MEM_FENCE);

        out += (ulong)task * m * n;
        bool all_finite = true;
        #pragma unroll
        for (int i = 0; i < DOWN; i++)
            #pragma unroll
            for (int j = 0; j < ACROSS; j++)
                #pragma unroll
                for (int c = 0; c < 4; c++) {
                    int row = top + ROW(i, c), column = left + COLUMN(j, c);
                    T value = total[i][j][c] + sum[i][j][c];
                    all_finite = all_finite && isfinite(value);
                    if (row < m && column < n)
                        out[(uint)row * n + column] = value;
                }
        // Infinity splits into infinity and NaN. Results that are not finite
        // are computed again from the original values.
        for (int index = 0; !all_finite && index < DOWN * ACROSS * 4; index++) {
            int row = top + ROW(index / 4 / ACROSS, index % 4);
            int column = left + COLUMN(index / 4 % ACROSS, index % 4);
            bool inside = row < m && column < n;
            if (!inside || isfinite(out[(uint)row * n + column]))
                continue;
            ACC recomputed = 0.0f;
            for (int l = from; l < to; l++)
                recomputed += a[A_AT(row, l)] * b[B_AT(column, l)];
            out[(uint)row * n + column] = recomputed;
        }
        out -= (ulong)task * m * n;
    }
}
