// Matrix multiplication: (batch, m, k) x (batch, k, n) -> (parts, batch, m,
// n). Both operands are read through their strides, so a transposed, broadcast
// or windowed operand needs no copy.
//
//     out[part, batch, row, column] =
//         sum over l in part of a[batch, row, l] * b[batch, l, column]
//
// It combines the optimizations of the ladder in kernels/part2:
//
// 1. A group computes a TILE_M x TILE_N tile of the result from tiles of the
//    operands in local memory, DEPTH steps of k at a time.
// 2. An item computes an OWN_M x OWN_N block of it in registers.
// 3. The next tiles are loaded into registers during the arithmetic and
//    written to the other of two buffers, so a step needs one barrier.
// 4. Where possible, four elements are loaded at once.
//
// and adds three more:
//
// 5. If the result is small or k is long, k is split into `parts`, whose sums
//    are added by a second launch.
// 6. Every CHAIN products, the running sum is added to a total, which bounds
//    the rounding error.
// 7. The host compiles variants with different tile sizes.
//
// The compile-time parameters are TILE_M, TILE_N: the tile of the result;
// DEPTH: the size of the tiles along k; OWN_M, OWN_N: the block of an item,
// multiples of 4; A_ALONG_K, B_ALONG_N: whether that axis is contiguous;
// FOURS: whether four adjacent elements can be loaded at once; VIEWS: whether
// rows, columns and k may have up to three axes each.

#define ALIGNED __attribute__((aligned(sizeof(FOUR(ACC)))))
#define ACROSS (TILE_N / OWN_N)
#define ITEMS (ACROSS * (TILE_M / OWN_M))
// The position of an item on the tile: 32 adjacent items, which many devices
// run as one warp, form a block of 8 by 4, so that they share what they read
// of both operands.
#define BLOCKS (ACROSS / 8)
#define X(item) ((item) / 32 % BLOCKS * 8 + (item) % 8)
#define Y(item) ((item) / 32 / BLOCKS * 4 + (item) % 32 / 8)
// Rows are padded by four elements, so that a column is spread over the banks
// of local memory.
#define A_ROW (TILE_M + 4)
#define B_ROW (TILE_N + 4)
// Number of products that are added up before their sum is added to the total;
// this bounds the rounding error, however long k is.
#define CHAIN 128

// Elements per load, and loads per item and tile.
#if FOURS
#define LOAD_WIDTH 4
#define LOADED FOUR(ACC)
#define LOAD_AT LOAD4
#else
#define LOAD_WIDTH 1
#define LOADED ACC
#define LOAD_AT LOAD
#endif
#define A_LOADS (TILE_M * DEPTH / LOAD_WIDTH / ITEMS)
#define B_LOADS (TILE_N * DEPTH / LOAD_WIDTH / ITEMS)

// The position of the `i`-th load of an item: adjacent items read adjacent
// elements.
#define LOAD_INDEX(i) ((item + (i) * ITEMS) * LOAD_WIDTH)
#if A_ALONG_K
#define A_SIDE(i) (LOAD_INDEX(i) / DEPTH)
#define A_DEPTH(i) (LOAD_INDEX(i) % DEPTH)
#else
#define A_SIDE(i) (LOAD_INDEX(i) % TILE_M)
#define A_DEPTH(i) (LOAD_INDEX(i) / TILE_M)
#endif
#if B_ALONG_N
#define B_SIDE(i) (LOAD_INDEX(i) % TILE_N)
#define B_DEPTH(i) (LOAD_INDEX(i) / TILE_N)
#else
#define B_SIDE(i) (LOAD_INDEX(i) / DEPTH)
#define B_DEPTH(i) (LOAD_INDEX(i) % DEPTH)
#endif

// The offset of index `i` of a line that is a view of three axes with sizes
// .., n1, n2 and strides s0, s1, s2.
#if VIEWS
#define OFFSET(i, n1, n2, s0, s1, s2)                                       \
    (((i) - (i) / (n2) * (n2)) * (s2)                                       \
     + ((i) / (n2) - (i) / (n2) / (n1) * (n1)) * (s1)                       \
     + (i) / (n2) / (n1) * (s0))
#else
#define OFFSET(i, n1, n2, s0, s1, s2) ((i) * (s2))
#endif
#define A_OFFSET(i) OFFSET(i, sizes.s0, sizes.s1, a_to.s0, a_to.s1, a_to.s2)
#define B_OFFSET(i) OFFSET(i, sizes.s2, sizes.s3, b_to.s0, b_to.s1, b_to.s2)
// Cache the row offsets of strided operands; they are costly to recompute.
#if VIEWS
#define A_LINE(i) a_lines[i]
#define B_LINE(i) b_lines[i]
#else
#define A_LINE(i) A_OFFSET(top + A_SIDE(i))
#define B_LINE(i) B_OFFSET(left + B_SIDE(i))
#endif
#define A_INNER(l) OFFSET(l, sizes.s4, sizes.s5, a_to.s3, a_to.s4, a_to.s5)
#define B_INNER(l) OFFSET(l, sizes.s4, sizes.s5, b_to.s3, b_to.s4, b_to.s5)

// Loads the item's elements of the tiles at `start`. Elements outside the
// matrices are 0 and add nothing.
#define FETCH(start)                                                        \
    do {                                                                    \
        bool inside = top + TILE_M <= m && left + TILE_N <= n               \
                      && (start) + DEPTH <= to;                             \
        _Pragma("unroll") for (int i = 0; i < A_LOADS; i++) {               \
            int row = top + A_SIDE(i), l = (start) + A_DEPTH(i);            \
            a_loaded[i] = inside || (row < m && l < to)                     \
                ? LOAD_AT(a, a_from + A_LINE(i) + A_INNER(l))               \
                : (LOADED)(0.0f);                                           \
        }                                                                   \
        _Pragma("unroll") for (int i = 0; i < B_LOADS; i++) {               \
            int column = left + B_SIDE(i), l = (start) + B_DEPTH(i);        \
            b_loaded[i] = inside || (column < n && l < to)                  \
                ? LOAD_AT(b, b_from + B_LINE(i) + B_INNER(l))               \
                : (LOADED)(0.0f);                                           \
        }                                                                   \
    } while (0)

// Stores one load in a tile whose rows run along the side: elements that are
// adjacent along the depth go to a column.
#if FOURS
#define STORE_LOADED(tile, depth, side, loaded, along_depth)                \
    do {                                                                    \
        if (along_depth) {                                                  \
            tile[depth][side] = (loaded).x;                                 \
            tile[depth + 1][side] = (loaded).y;                             \
            tile[depth + 2][side] = (loaded).z;                             \
            tile[depth + 3][side] = (loaded).w;                             \
        } else                                                              \
            *(local FOUR(ACC) *)&tile[depth][side] = (loaded);              \
    } while (0)
#else
#define STORE_LOADED(tile, depth, side, loaded, along_depth)                \
    tile[depth][side] = loaded
#endif

// a_to: the strides of the three axes of a's rows, of the three axes of k, and
// of the batch; b_to: the same for the columns of b. sizes: the sizes of the
// last two axes of the rows, of the columns and of k; the number of matrices;
// and the length of a part of k. The number of groups along the third
// dimension may be limited, so a group may compute several tiles.
__attribute__((reqd_work_group_size(ITEMS, 1, 1)))
kernel void product(global const T *a, uint a_offset, int8 a_to,
                    global const T *b, uint b_offset, int8 b_to, int8 sizes,
                    global OUT *out, int m, int k, int n)
{
    local ACC a_tile[2][DEPTH][A_ROW] ALIGNED;
    local ACC b_tile[2][DEPTH][B_ROW] ALIGNED;
    int item = get_local_id(0);
    int x = X(item) * 4, y = Y(item) * 4;
    int top = get_group_id(1) * TILE_M, left = get_group_id(0) * TILE_N;
    int batches = sizes.s6, length = sizes.s7;
    int parts = (k - 1) / length + 1;

#if VIEWS
    int a_lines[A_LOADS], b_lines[B_LOADS];
    #pragma unroll
    for (int i = 0; i < A_LOADS; i++)
        a_lines[i] = A_OFFSET(top + A_SIDE(i));
    #pragma unroll
    for (int i = 0; i < B_LOADS; i++)
        b_lines[i] = B_OFFSET(left + B_SIDE(i));
#endif

    for (int task = get_group_id(2); task < batches * parts;
         task += get_num_groups(2)) {
        int part = task / batches, batch = task - part * batches;
        int from = part * length;
        int to = min(from + length, k);
        int a_from = (int)a_offset + batch * a_to.s6;
        int b_from = (int)b_offset + batch * b_to.s6;

        LOADED a_loaded[A_LOADS], b_loaded[B_LOADS];
        ACC total[OWN_M][OWN_N], sum[OWN_M][OWN_N];
        #pragma unroll
        for (int i = 0; i < OWN_M; i++)
            #pragma unroll
            for (int j = 0; j < OWN_N; j++)
                total[i][j] = sum[i][j] = 0.0f;

        FETCH(from);
        int side = 0;
        for (int start = from; start < to; start += DEPTH) {
            #pragma unroll
            for (int i = 0; i < A_LOADS; i++)
                STORE_LOADED(a_tile[side], A_DEPTH(i), A_SIDE(i), a_loaded[i],
                    A_ALONG_K);
            #pragma unroll
            for (int i = 0; i < B_LOADS; i++)
                STORE_LOADED(b_tile[side], B_DEPTH(i), B_SIDE(i), b_loaded[i],
                    !B_ALONG_N);
            // One barrier is enough, because the next tiles go to the other
            // buffer.
            barrier(CLK_LOCAL_MEM_FENCE);
            if (start + DEPTH < to)
                FETCH(start + DEPTH);

            #pragma unroll
            for (int d = 0; d < DEPTH; d++) {
                ACC a_values[OWN_M] ALIGNED;
                ACC b_values[OWN_N] ALIGNED;
                #pragma unroll
                for (int i = 0; i < OWN_M; i += 4)
                    *(FOUR(ACC) *)(a_values + i) = *(local FOUR(ACC) *)
                        &a_tile[side][d][y + i * (TILE_M / OWN_M)];
                #pragma unroll
                for (int j = 0; j < OWN_N; j += 4)
                    *(FOUR(ACC) *)(b_values + j) = *(local FOUR(ACC) *)
                        &b_tile[side][d][x + j * (TILE_N / OWN_N)];
                #pragma unroll
                for (int i = 0; i < OWN_M; i++)
                    #pragma unroll
                    for (int j = 0; j < OWN_N; j++)
                        sum[i][j] += a_values[i] * b_values[j];
            }
            side = 1 - side;
            if ((start - from) % CHAIN == CHAIN - DEPTH)
                #pragma unroll
                for (int i = 0; i < OWN_M; i++)
                    #pragma unroll
                    for (int j = 0; j < OWN_N; j++) {
                        total[i][j] += sum[i][j];
                        sum[i][j] = 0.0f;
                    }
        }
        // The next tiles are written where other items may still read.
        barrier(CLK_LOCAL_MEM_FENCE);

        #pragma unroll
        for (int i = 0; i < OWN_M; i++)
            #pragma unroll
            for (int j = 0; j < OWN_N; j++) {
                int row = top + y + i / 4 * 4 * (TILE_M / OWN_M) + i % 4;
                int column = left + x + j / 4 * 4 * (TILE_N / OWN_N) + j % 4;
                if (row < m && column < n)
                    STORE(out, ((uint)task * m + row) * n + column,
                          total[i][j] + sum[i][j]);
            }
    }
}
