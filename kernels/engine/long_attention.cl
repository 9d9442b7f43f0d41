// Causal self-attention over long texts: each position attends to itself and
// the positions before it.
//
//     score[i, j] = q[i] . k[j] / sqrt(width)          for j <= i
//     out[i] = sum over j of softmax(score[i])[j] * v[j]
//
// a (texts, places, 3 * heads * width), dense, beginning at an offset, holds
// the queries, keys and values of each position -> out (texts, places, heads *
// width), where places is the number of positions of a text. The width of a
// head and the offset are multiples of 4, the width is at most 64; `n` is the
// number of heads of all texts.
//
// 1. The table of scores is never stored (FlashAttention): a group keeps a
//    tile of queries in local memory, goes over keys and values tile by tile,
//    and rescales its add_weighted_rows when a larger score appears.
// 2. An item computes a 4 x 4 block of the scores of two tiles in registers.
// 3. The last positions of a text have the most keys, so their tiles are
//    started first.

#define TILE 32
#define ROW_FOURS 16
// Rows are padded by one float4, so that a column is spread over the banks of
// local memory.
#define ROW (ROW_FOURS + 1)
#define PROB_ROW (TILE + 4)
#define ACC4 FOUR(ACC)
#define ALIGNED __attribute__((aligned(sizeof(ACC4))))

// A group has 8 x 8 items. An item owns every eighth row of a tile and every
// eighth column of a table of scores: four rows and four columns.
#define SIDE 8
#define FOR4(i) for (uint i = 0; i < 4; i++)
#define ITEM_ROW(i) (y + (i) * SIDE)
#define ITEM_COLUMN(j) (x + (j) * SIDE)

// Copies rows into a tile. Elements outside the matrix are 0.
#define FETCH(tile, from, stride, begin)                                    \
    for (uint e = item; e < TILE * ROW_FOURS; e += SIDE * SIDE) {           \
        uint line = (begin) + e / ROW_FOURS, c = e % ROW_FOURS;             \
        tile[e / ROW_FOURS * ROW + c] = line < places && 4 * c < width      \
            ? LOAD4(from, line * (stride) + 4 * c)                          \
            : (ACC4)(0.0f);                                                 \
    }

// Adds the dot products of the rows of two tiles: q k^T.
void add_dot_products(local const ACC4 *rows, local const ACC4 *columns,
                      uint fours, uint x, uint y, ACC s[4][4])
{
    for (uint c = 0; c < fours; c++) {
        ACC4 a[4], b[4];
        FOR4(i) a[i] = rows[ITEM_ROW(i) * ROW + c];
        FOR4(j) b[j] = columns[ITEM_COLUMN(j) * ROW + c];
        FOR4(i) FOR4(j) {
            s[i][j] = fma(a[i].x, b[j].x, s[i][j]);
            s[i][j] = fma(a[i].y, b[j].y, s[i][j]);
            s[i][j] = fma(a[i].z, b[j].z, s[i][j]);
            s[i][j] = fma(a[i].w, b[j].w, s[i][j]);
        }
    }
}

// Adds the rows of a tile weighted by the probabilities: p v. An item computes
// two float4s of each of its rows.
void add_weighted_rows(local const ACC *probs, local const ACC4 *tile, uint x,
                       uint y, ACC4 out[4][2])
{
    for (uint j = 0; j < TILE; j += 4) {
        ACC4 p[4];
        FOR4(i) p[i] = *(local const ACC4 *)&probs[ITEM_ROW(i) * PROB_ROW + j];
        for (uint h = 0; h < 2; h++) {
            ACC4 b[4];
            FOR4(k) b[k] = tile[(j + k) * ROW + x + h * SIDE];
            FOR4(i) {
                out[i][h] = fma((ACC4)(p[i].x), b[0], out[i][h]);
                out[i][h] = fma((ACC4)(p[i].y), b[1], out[i][h]);
                out[i][h] = fma((ACC4)(p[i].z), b[2], out[i][h]);
                out[i][h] = fma((ACC4)(p[i].w), b[3], out[i][h]);
            }
        }
    }
}

// Writes the rows of a tile, multiplied by a factor.
#define WRITE(out, from, stride, begin, rows, factor)                       \
    FOR4(i) for (uint h = 0; h < 2; h++) {                                  \
        uint line = (begin) + ITEM_ROW(i), c = 4 * (x + h * SIDE);          \
        if (line < places && c < width)                                     \
            STORE4(out, (from) + line * (stride) + c, rows[i][h] * (factor));\
    }

// EACH_TILE loops over all tiles of all heads, and DECLARE_HEAD computes where
// a tile begins. The last tiles of a text have the most keys, so in the kernels
// over queries they come first.
#define EACH_TILE                                                           \
    uint item = get_local_id(0), x = item % SIDE, y = item / SIDE;          \
    uint row = heads * width, tiles = (places + TILE - 1) / TILE;           \
    ACC scale = 1.0f / sqrt((ACC)width);                                    \
    for (uint tile = get_group_id(0); tile < n * tiles;                     \
         tile += get_num_groups(0))
#define DECLARE_HEAD(at_end)                                                \
    uint order = tile / n, head = tile - order * n, seq = head / heads;     \
    uint top = (at_end ? tiles - 1 - order : order) * TILE;                 \
    uint text = seq * places * row, inside = (head - seq * heads) * width;  \
    global const T *queries = a + offset + 3 * text + inside;               \
    global const T *keys = queries + row, *values = keys + row;

// Reduces the values that the items of a row have stored in `partials`.
#define REDUCE_ROW(i, result, combine)                                      \
    for (uint c = 0; c < SIDE; c++)                                         \
        result = combine(result, partials[ITEM_ROW(i) * SIDE + c]);
#define PLUS(x, y) ((x) + (y))

// Scales the scores of a pair of tiles and replaces the scores of keys after
// the query by -infinity. Stores each item's maximum in `partials`.
#define MASK                                                                \
    FOR4(i) {                                                               \
        FOR4(j) s[i][j] = left + ITEM_COLUMN(j) <= top + ITEM_ROW(i)        \
            ? s[i][j] * scale : -INFINITY;                                  \
        partials[ITEM_ROW(i) * SIDE + x] =                                  \
            fmax(fmax(s[i][0], s[i][1]), fmax(s[i][2], s[i][3]));           \
    }

// ANCHOR: online
kernel void attention_long_rows(global const T *a, uint offset, uint places,
                                uint heads, uint width, global OUT *out,
                                uint n)
{
    local ACC4 q[TILE * ROW], k[TILE * ROW], v[TILE * ROW];
    local ACC p[TILE * PROB_ROW] ALIGNED, partials[TILE * SIDE];
    EACH_TILE {
        DECLARE_HEAD(true)
        FETCH(q, queries, 3 * row, top)
        ACC4 out_rows[4][2] = {{0}};
        ACC max_score[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
        ACC total[4] = {0};
        for (uint left = 0; left <= top; left += TILE) {
            FETCH(k, keys, 3 * row, left)
            FETCH(v, values, 3 * row, left)
            barrier(CLK_LOCAL_MEM_FENCE);
            ACC s[4][4] = {{0}};
            add_dot_products(q, k, width / 4, x, y, s);
            MASK
            barrier(CLK_LOCAL_MEM_FENCE);
            FOR4(i) {
                ACC old = max_score[i];
                REDUCE_ROW(i, max_score[i], fmax)
                // When the maximum grows, everything summed so far is scaled
                // down by the same factor.
                ACC rescale = exp(old - max_score[i]);
                total[i] *= rescale;
                out_rows[i][0] *= rescale;
                out_rows[i][1] *= rescale;
                FOR4(j) {
                    ACC weight = exp(s[i][j] - max_score[i]);
                    total[i] += weight;
                    p[ITEM_ROW(i) * PROB_ROW + ITEM_COLUMN(j)] = weight;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            add_weighted_rows(p, v, x, y, out_rows);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        FOR4(i) partials[ITEM_ROW(i) * SIDE + x] = total[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        FOR4(i) {
            ACC row_sum = 0.0f;
            REDUCE_ROW(i, row_sum, PLUS)
            out_rows[i][0] /= row_sum;
            out_rows[i][1] /= row_sum;
        }
        WRITE(out, text + inside, row, top, out_rows, 1.0f)
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
// ANCHOR_END: online

// The gradient of the queries, from the result `seen` and its gradient `grad`:
// both (texts, places, heads * width), dense, beginning at a multiple of 4 ->
// the first third of each row of out, in the layout of `a`. For
// attention_long_keys it also stores two values per row of scores: the
// logarithm of the sum of exponentials, and the mean of the gradient of the
// probabilities, weighted by the probabilities -> measured (2, n, places).
kernel void attention_long_queries(global const T *a, uint offset,
                                   global const T *seen, uint seen_offset,
                                   global const T *grad, uint grad_offset,
                                   uint places, uint heads, uint width,
                                   global ACC *measured, global OUT *out,
                                   uint n)
{
    local ACC4 q[TILE * ROW], g[TILE * ROW], k[TILE * ROW], v[TILE * ROW];
    local ACC p[TILE * PROB_ROW] ALIGNED, partials[TILE * SIDE];
    EACH_TILE {
        DECLARE_HEAD(true)
        FETCH(q, queries, 3 * row, top)
        FETCH(g, grad + grad_offset + text + inside, row, top)
        FETCH(k, seen + seen_offset + text + inside, row, top)
        barrier(CLK_LOCAL_MEM_FENCE);
        // The weighted mean of the dot products of g with the values equals
        // the dot product of g with the weighted mean of the values, which is
        // `seen`.
        FOR4(i) {
            ACC4 both = 0.0f;
            for (uint c = x; c < ROW_FOURS; c += SIDE)
                both += g[ITEM_ROW(i) * ROW + c] * k[ITEM_ROW(i) * ROW + c];
            partials[ITEM_ROW(i) * SIDE + x] =
                both.x + both.y + both.z + both.w;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        ACC mean[4] = {0};
        FOR4(i) REDUCE_ROW(i, mean[i], PLUS)
        ACC4 grad_q[4][2] = {{0}};
        ACC max_score[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
        ACC total[4] = {0};
        for (uint left = 0; left <= top; left += TILE) {
            FETCH(k, keys, 3 * row, left)
            FETCH(v, values, 3 * row, left)
            barrier(CLK_LOCAL_MEM_FENCE);
            ACC s[4][4] = {{0}}, t[4][4] = {{0}};
            add_dot_products(q, k, width / 4, x, y, s);
            add_dot_products(g, v, width / 4, x, y, t);
            MASK
            barrier(CLK_LOCAL_MEM_FENCE);
            FOR4(i) {
                ACC old = max_score[i];
                REDUCE_ROW(i, max_score[i], fmax)
                ACC rescale = exp(old - max_score[i]);
                total[i] *= rescale;
                grad_q[i][0] *= rescale;
                grad_q[i][1] *= rescale;
                FOR4(j) {
                    ACC weight = exp(s[i][j] - max_score[i]);
                    total[i] += weight;
                    p[ITEM_ROW(i) * PROB_ROW + ITEM_COLUMN(j)] =
                        weight * (t[i][j] - mean[i]);
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            add_weighted_rows(p, k, x, y, grad_q);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        FOR4(i) partials[ITEM_ROW(i) * SIDE + x] = total[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        FOR4(i) {
            ACC row_sum = 0.0f;
            REDUCE_ROW(i, row_sum, PLUS)
            grad_q[i][0] /= row_sum;
            grad_q[i][1] /= row_sum;
            uint position = top + ITEM_ROW(i), index = head * places + position;
            if (x == 0 && position < places) {
                measured[index] = max_score[i] + log(row_sum);
                measured[n * places + index] = mean[i];
            }
        }
        WRITE(out, 3 * text + inside, 3 * row, top, grad_q, scale)
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// The gradients of the keys and values -> the other two thirds of out. A group
// has a tile of keys and values and goes over the queries that attend to them.
kernel void attention_long_keys(global const T *a, uint offset,
                                global const T *grad, uint grad_offset,
                                uint places, uint heads, uint width,
                                global const ACC *measured, global OUT *out,
                                uint n)
{
    local ACC4 k[TILE * ROW], v[TILE * ROW], q[TILE * ROW], g[TILE * ROW];
    local ACC p[TILE * PROB_ROW] ALIGNED, d[TILE * PROB_ROW] ALIGNED;
    EACH_TILE {
        DECLARE_HEAD(false)
        FETCH(k, keys, 3 * row, top)
        FETCH(v, values, 3 * row, top)
        ACC4 grad_k[4][2] = {{0}}, grad_v[4][2] = {{0}};
        for (uint left = top; left < places; left += TILE) {
            FETCH(q, queries, 3 * row, left)
            FETCH(g, grad + grad_offset + text + inside, row, left)
            barrier(CLK_LOCAL_MEM_FENCE);
            ACC s[4][4] = {{0}}, t[4][4] = {{0}};
            add_dot_products(k, q, width / 4, x, y, s);
            add_dot_products(v, g, width / 4, x, y, t);
            FOR4(j) {
                uint position = left + ITEM_COLUMN(j);
                uint index = head * places + min(position, places - 1);
                ACC max_score = measured[index];
                ACC mean = measured[n * places + index];
                FOR4(i) {
                    bool attends = top + ITEM_ROW(i) <= position
                                   && position < places;
                    ACC weight =
                        attends ? exp(s[i][j] * scale - max_score) : 0.0f;
                    p[ITEM_ROW(i) * PROB_ROW + ITEM_COLUMN(j)] = weight;
                    d[ITEM_ROW(i) * PROB_ROW + ITEM_COLUMN(j)] =
                        weight * (t[i][j] - mean);
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            add_weighted_rows(p, g, x, y, grad_v);
            add_weighted_rows(d, q, x, y, grad_k);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        WRITE(out, 3 * text + row + inside, 3 * row, top, grad_k, scale)
        WRITE(out, 3 * text + 2 * row + inside, 3 * row, top, grad_v, 1.0f)
    }
}
