// The multiplication of tensor_cores.cl for devices whose tensor cores
// multiply a tile of 64 x 8 in the registers of 128 items (a warpgroup) by a
// tile of 8 x 128 in local memory, asynchronously: the items continue, and the
// sums are valid after a wait.
//
// Therefore:
//
// 1. b has two tiles in local memory: one is multiplied while the other is
//    filled.
// 2. a needs no tile, because no other item uses the same rows: an item loads
//    its parts of two rows directly into registers.
// 3. k must be contiguous in both matrices, and lines must be aligned to four
//    elements (pack.cl copies other matrices into that layout).
//
// Values are split and sums are cut into CHAINs as in tensor_cores.cl.
//
// CORES: 1 uses the instruction of compute capability 9.0. Its lines begin
// with SM_90A, which makes them assembly comments until the device is known to
// support it (src/opencl/assembly.rs). 0 computes the same tiles in plain
// OpenCL C.

#define ALIGNED __attribute__((aligned(128)))
#define TILE_M 64
#define TILE_N 128
#define ITEMS 128
#define DEPTH 16
#define CHAIN 64
// Number of float4s of a tile of b that an item loads, and of its sums.
#define LOADS (TILE_N * DEPTH / 4 / ITEMS)
#define SUMS (TILE_M * TILE_N / ITEMS)
// Tiles are computed column by column within bands of BAND tile rows, so that
// groups that run at the same time share more of what they read.
#define BAND 16

#define A_AT(row, l) (a_from + (row) * a_to.s2 + (l))
#define B_AT(column, l) (b_from + (column) * b_to.s2 + (l))
#define ELEMENTS(four) {(four).x, (four).y, (four).z, (four).w}
#define FOUR_AT(x, index, inside)                                           \
    ((inside) ? *(global const FOUR(T) *)&(x)[index] : (FOUR(T))(0.0f))

// Loads the item's float4s of the step at `start`. Elements outside the
// matrices are 0.
#define FETCH(start)                                                        \
    do {                                                                    \
        int l = (start) + 4 * quarter;                                      \
        _Pragma("unroll") for (int h = 0; h < 2; h++)                       \
            a_four[h] = FOUR_AT(a, A_AT(y + 8 * h, l),                      \
                                y + 8 * h < m && l < to);                   \
        _Pragma("unroll") for (int i = 0; i < LOADS; i++)                   \
            b_four[i] = FOUR_AT(b, B_AT(left + item / 4 + 32 * i, l),       \
                                left + item / 4 + 32 * i < n && l < to);    \
    } while (0)

// Splits a value into two parts of 11 bits.
#define SPLIT(high, low, value)                                             \
    do {                                                                    \
        T original = (value);                                               \
        (high) = as_float((as_uint(original) + 0x1000u) & 0xffffe000u);     \
        (low) = original - (high);                                          \
    } while (0)

// ANCHOR: order
// The address at which the unit expects element `l` of a column of b: four
// elements of each of eight columns form a block of 128 bytes. Any order of
// the elements is correct if a uses the same order. Here a block has every
// fourth of 16 elements, because then 32 items write 32 adjacent elements
// (SPLIT_LOADED).
#define B_INDEX(column, l)                                                  \
    ((column) / 8 * 8 * DEPTH + (l) % 4 * 32 + (column) % 8 * 4 + (l) / 4)
// ANCHOR_END: order

// The index of the first element of an item's `i`-th float4.
#define FIRST(i) ((item + (i) * ITEMS) / 32 * 128 + item % 32)

// Splits the loaded float4s into two parts, and stores the parts of b in a
// tile.
#define SPLIT_LOADED(tile)                                                  \
    do {                                                                    \
        _Pragma("unroll") for (int i = 0; i < LOADS; i++) {                 \
            T four[4] = ELEMENTS(b_four[i]);                                \
            _Pragma("unroll") for (int t = 0; t < 4; t++) {                 \
                int index = FIRST(i) + t * 32;                              \
                SPLIT(b_tile[tile][0][index], b_tile[tile][1][index],       \
                      four[t]);                                             \
            }                                                               \
        }                                                                   \
        _Pragma("unroll") for (int h = 0; h < 2; h++) {                     \
            T four[4] = ELEMENTS(a_four[h]);                                \
            _Pragma("unroll") for (int t = 0; t < 4; t++)                   \
                SPLIT(high[tile][h][t], low[tile][h][t], four[t]);          \
        }                                                                   \
    } while (0)

#if CORES
#define SM_90A "//sm_90a "
#define ASM(what) asm volatile(SM_90A what ";" ::: "memory")
// A barrier that also makes writes to local memory visible to the unit.
#define VISIBLE_BARRIER                                                     \
    do {                                                                    \
        ASM("fence.proxy.async.shared::cta");                               \
        barrier(CLK_LOCAL_MEM_FENCE);                                       \
    } while (0)
// Waits until at most `steps` groups of multiplications are in flight.
#define WAIT(steps) ASM("wgmma.wait_group.sync.aligned " #steps)

#define SUM2(i) "+f"(sum[i]), "+f"(sum[i + 1])
#define SUM8(i) SUM2(i), SUM2(i + 2), SUM2(i + 4), SUM2(i + 6)
#define SUM32(i) SUM8(i), SUM8(i + 8), SUM8(i + 16), SUM8(i + 24)
// ANCHOR: multiply
// Multiplies 64 x 8 by 8 x 128, and adds the result to the sums of 128 items
// or replaces them.
#define MULTIPLY(part, descriptor, half, adds)                              \
    asm volatile(SM_90A "{ .reg .pred adds; setp.ne.b32 adds, %69, 0; "     \
        "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 "             \
        "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"           \
        "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"  \
        "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"  \
        "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}," \
        "{%64,%65,%66,%67}, %68, adds, 1, 1; }"                             \
        : SUM32(0), SUM32(32)                                               \
        : "r"(as_uint((part)[0][2 * (half)])),                              \
          "r"(as_uint((part)[1][2 * (half)])),                              \
          "r"(as_uint((part)[0][2 * (half) + 1])),                          \
          "r"(as_uint((part)[1][2 * (half) + 1])),                          \
          "l"(descriptor), "r"(adds))
// ANCHOR_END: multiply
// The descriptor of a part of a tile, in units of 16 bytes: the start of the
// half along the depth, the distance of two blocks along k, and their distance
// along the columns.
#define DESCRIPTOR(tile, part, half)                                        \
    (tiles + (ulong)(((tile) * 2 + (part)) * TILE_N * DEPTH / 4 + (half) * 16))
#define TILES_DESCRIPTOR                                                    \
    (((ulong)(uint)(ulong)&b_tile[0][0][0] & 0x3ffff) >> 4 | 8ul << 16      \
     | (ulong)(8 * DEPTH / 4) << 32)

// Issues the multiplications of a step.
#define ISSUE_STEP(tile, start, adds)                                       \
    do {                                                                    \
        ASM("wgmma.fence.sync.aligned");                                    \
        MULTIPLY(low[tile], DESCRIPTOR(tile, 0, 0), 0, adds);               \
        MULTIPLY(high[tile], DESCRIPTOR(tile, 1, 0), 0, 1);                 \
        MULTIPLY(high[tile], DESCRIPTOR(tile, 0, 0), 0, 1);                 \
        MULTIPLY(low[tile], DESCRIPTOR(tile, 0, 1), 1, 1);                  \
        MULTIPLY(high[tile], DESCRIPTOR(tile, 1, 1), 1, 1);                 \
        MULTIPLY(high[tile], DESCRIPTOR(tile, 0, 1), 1, 1);                 \
        ASM("wgmma.commit_group.sync.aligned");                             \
    } while (0)
#else
#define VISIBLE_BARRIER barrier(CLK_LOCAL_MEM_FENCE)
#define WAIT(steps)
// Computes the sums of each item synchronously. An item has loaded only a
// quarter of its two rows, so it reads the rest from memory.
#define ISSUE_STEP(tile, start, adds)                                       \
    do {                                                                    \
        for (int i = 0; i < SUMS && !(adds); i++)                           \
            sum[i] = 0.0f;                                                  \
        for (int l = 0; l < DEPTH; l++)                                     \
            for (int h = 0; h < 4; h += 2) {                                \
                bool inside = ROW(h) < m && (start) + l < to;               \
                T a_high, a_low;                                            \
                SPLIT(a_high, a_low,                                        \
                      inside ? a[A_AT(ROW(h), (start) + l)] : 0.0f);        \
                for (int i = h; i < SUMS; i += i % 2 ? 3 : 1) {             \
                    int index = B_INDEX(COLUMN(i), l);                      \
                    sum[i] += a_low * b_tile[tile][0][index]                \
                              + a_high * b_tile[tile][1][index]             \
                              + a_high * b_tile[tile][0][index];            \
                }                                                           \
            }                                                               \
    } while (0)
#endif
// The position of an item's sum `i` in the tile: two adjacent columns of every
// eight, in two rows.
#define ROW(i) (y + (i) % 4 / 2 * 8)
#define COLUMN(i) ((i) / 4 * 8 + quarter * 2 + (i) % 2)

// While the step at `start` is multiplied, the next one is stored in the tile
// of the previous one, and the one after it is loaded. At the end of a chain
// the items wait for the unit.
#define STEP(next)                                                          \
    do {                                                                    \
        WAIT(1);                                                            \
        barrier(CLK_LOCAL_MEM_FENCE);                                       \
        SPLIT_LOADED(next);                                                 \
        FETCH(start + 2 * DEPTH);                                           \
        VISIBLE_BARRIER;                                                    \
        start += DEPTH;                                                     \
        if ((start - from) % CHAIN == 0) {                                  \
            WAIT(0);                                                        \
            _Pragma("unroll") for (int i = 0; i < SUMS; i++)                \
                total[i] += sum[i];                                         \
            ISSUE_STEP(next, start, 0);                                     \
        } else {                                                            \
            ISSUE_STEP(next, start, 1);                                     \
        }                                                                   \
    } while (0)

// For the arguments see product.cl and tensor_cores.cl.
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void product_warpgroups(
    global const T *a, uint a_offset, int8 a_to, global const T *b,
    uint b_offset, int8 b_to, int8 sizes, global OUT *out, int m, int k, int n)
{
    local T b_tile[2][2][TILE_N * DEPTH] ALIGNED;
    int item = get_local_id(0), quarter = item % 4;
    int order = get_group_id(1) * get_num_groups(0) + get_group_id(0);
    int band = order / (BAND * (int)get_num_groups(0)) * BAND;
    int height = min(BAND, (int)get_num_groups(1) - band);
    order -= band * (int)get_num_groups(0);
    int top = (band + order % height) * TILE_M, left = order / height * TILE_N;
    // The first of an item's two rows; the second is 8 rows below.
    int y = top + item / 32 * 16 + item % 32 / 4;
    int batches = sizes.s6, length = sizes.s7;
    int parts = (k - 1) / length + 1;
#if CORES
    ulong tiles = TILES_DESCRIPTOR;
#endif

    for (int task = get_group_id(2); task < batches * parts;
         task += get_num_groups(2)) {
        int part = task / batches, batch = task - part * batches;
        int from = part * length;
        int to = min(from + length, k);
        int a_from = (int)a_offset + batch * a_to.s6;
        int b_from = (int)b_offset + batch * b_to.s6;

        FOUR(T) a_four[2], b_four[LOADS];
        T high[2][2][4], low[2][2][4];
        ACC total[SUMS], sum[SUMS];
        #pragma unroll
        for (int i = 0; i < SUMS; i++)
            total[i] = sum[i] = 0.0f;

        int start = from;
        FETCH(start);
        SPLIT_LOADED(0);
        FETCH(start + DEPTH);
        VISIBLE_BARRIER;
        ISSUE_STEP(0, start, 0);
        while (start + DEPTH < to) {
            STEP(1);
            if (start + DEPTH >= to)
                break;
            STEP(0);
        }
        WAIT(0);
        // The next tiles are written where other items may still read.
        barrier(CLK_LOCAL_MEM_FENCE);

        out += (ulong)task * m * n;
        bool all_finite = true;
        #pragma unroll
        for (int i = 0; i < SUMS; i++) {
            total[i] += sum[i];
            all_finite = all_finite && isfinite(total[i]);
        }
        #pragma unroll
        for (int i = 0; i < SUMS; i += 2) {
            int row = ROW(i), column = left + COLUMN(i);
            if (row < m && column < n) {
                out[(ulong)row * n + column] = total[i];
                if (column + 1 < n)
                    out[(ulong)row * n + column + 1] = total[i + 1];
            }
        }
        // Infinity splits into infinity and NaN. Results that are not finite
        // are computed again from the original values.
        for (int i = 0; !all_finite && i < SUMS; i++) {
            int row = ROW(i), column = left + COLUMN(i);
            bool inside = row < m && column < n;
            if (!inside || isfinite(out[(ulong)row * n + column]))
                continue;
            ACC recomputed = 0.0f;
            for (int l = from; l < to; l++)
                recomputed += a[A_AT(row, l)] * b[B_AT(column, l)];
            out[(ulong)row * n + column] = recomputed;
        }
        out -= (ulong)task * m * n;
    }
}
