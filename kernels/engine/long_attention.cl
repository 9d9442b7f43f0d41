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
//    and rescales its sums when a larger score appears.
// 2. An item computes a 4 x 4 block of the scores of two tiles in registers.
// 3. The last positions of a text have the most keys, so their tiles are
//    started first.

#define TILE 32
#define FOURS 16
// Rows are padded by one float4, so that a column is spread over the banks of
// local memory.
#define ROW (FOURS + 1)
#define SHARES (TILE + 4)
#define QUAD FOUR(ACC)
#define WIDE __attribute__((aligned(sizeof(QUAD))))

// A group has 8 x 8 items. An item owns every eighth row of a tile and every
// eighth column of a table of scores: four rows and four columns.
#define SIDE 8
#define OWN(i) for (uint i = 0; i < 4; i++)
#define MY_ROW(i) (y + (i) * SIDE)
#define MY_COLUMN(j) (x + (j) * SIDE)

// Copies rows into a tile. Elements outside the matrix are 0.
#define FETCH(tile, from, stride, begin)                                    \
    for (uint e = item; e < TILE * FOURS; e += SIDE * SIDE) {               \
        uint line = (begin) + e / FOURS, c = e % FOURS;                     \
        tile[e / FOURS * ROW + c] = line < places && 4 * c < width          \
            ? LOAD4(from, line * (stride) + 4 * c)                          \
            : (QUAD)(0.0f);                                                 \
    }

// Adds the dot products of the rows of two tiles: q k^T.
void dots(local const QUAD *rows, local const QUAD *columns, uint fours,
          uint x, uint y, ACC s[4][4])
{
    for (uint c = 0; c < fours; c++) {
        QUAD a[4], b[4];
        OWN(i) a[i] = rows[MY_ROW(i) * ROW + c];
        OWN(j) b[j] = columns[MY_COLUMN(j) * ROW + c];
        OWN(i) OWN(j) {
            s[i][j] = fma(a[i].x, b[j].x, s[i][j]);
            s[i][j] = fma(a[i].y, b[j].y, s[i][j]);
            s[i][j] = fma(a[i].z, b[j].z, s[i][j]);
            s[i][j] = fma(a[i].w, b[j].w, s[i][j]);
        }
    }
}

// Adds the rows of a tile weighted by the probabilities: p v. An item computes
// two float4s of each of its rows.
void sums(local const ACC *shares, local const QUAD *tile, uint x, uint y,
          QUAD out[4][2])
{
    for (uint j = 0; j < TILE; j += 4) {
        QUAD p[4];
        OWN(i) p[i] = *(local const QUAD *)&shares[MY_ROW(i) * SHARES + j];
        for (uint h = 0; h < 2; h++) {
            QUAD b[4];
            OWN(k) b[k] = tile[(j + k) * ROW + x + h * SIDE];
            OWN(i) {
                out[i][h] = fma((QUAD)(p[i].x), b[0], out[i][h]);
                out[i][h] = fma((QUAD)(p[i].y), b[1], out[i][h]);
                out[i][h] = fma((QUAD)(p[i].z), b[2], out[i][h]);
                out[i][h] = fma((QUAD)(p[i].w), b[3], out[i][h]);
            }
        }
    }
}

// Writes the rows of a tile, multiplied by a factor.
#define WRITE(out, from, stride, begin, of, factor)                         \
    OWN(i) for (uint h = 0; h < 2; h++) {                                   \
        uint line = (begin) + MY_ROW(i), c = 4 * (x + h * SIDE);            \
        if (line < places && c < width)                                     \
            STORE4(out, (from) + line * (stride) + c, of[i][h] * (factor)); \
    }

// EACH_TILE loops over all tiles of all heads, and HEAD computes where a tile
// begins. The last tiles of a text have the most keys, so in the kernels over
// queries they come first.
#define EACH_TILE                                                           \
    uint item = get_local_id(0), x = item % SIDE, y = item / SIDE;          \
    uint row = heads * width, tiles = (places + TILE - 1) / TILE;           \
    ACC scale = 1.0f / sqrt((ACC)width);                                    \
    for (uint one = get_group_id(0); one < n * tiles;                       \
         one += get_num_groups(0))
#define HEAD(at_end)                                                        \
    uint before = one / n, head = one - before * n, of = head / heads;      \
    uint top = (at_end ? tiles - 1 - before : before) * TILE;               \
    uint text = of * places * row, inside = (head - of * heads) * width;    \
    global const T *queries = a + offset + 3 * text + inside;               \
    global const T *keys = queries + row, *values = keys + row;

// Reduces the values that the items of a row have stored in `beside`.
#define JOIN(i, joined, join)                                               \
    for (uint c = 0; c < SIDE; c++)                                         \
        joined = join(joined, beside[MY_ROW(i) * SIDE + c]);
#define PLUS(x, y) ((x) + (y))

// Scales the scores of a pair of tiles and replaces the scores of keys after
// the query by -infinity. Stores each item's maximum in `beside`.
#define MASK                                                                \
    OWN(i) {                                                                \
        OWN(j) s[i][j] = left + MY_COLUMN(j) <= top + MY_ROW(i)             \
            ? s[i][j] * scale : -INFINITY;                                  \
        beside[MY_ROW(i) * SIDE + x] =                                      \
            fmax(fmax(s[i][0], s[i][1]), fmax(s[i][2], s[i][3]));           \
    }

// ANCHOR: online
kernel void attention_long_rows(global const T *a, uint offset, uint places,
                                uint heads, uint width, global OUT *out,
                                uint n)
{
    local QUAD q[TILE * ROW], k[TILE * ROW], v[TILE * ROW];
    local ACC p[TILE * SHARES] WIDE, beside[TILE * SIDE];
    EACH_TILE {
        HEAD(true)
        FETCH(q, queries, 3 * row, top)
        QUAD seen[4][2] = {{0}};
        ACC most[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
        ACC total[4] = {0};
        for (uint left = 0; left <= top; left += TILE) {
            FETCH(k, keys, 3 * row, left)
            FETCH(v, values, 3 * row, left)
            barrier(CLK_LOCAL_MEM_FENCE);
            ACC s[4][4] = {{0}};
            dots(q, k, width / 4, x, y, s);
            MASK
            barrier(CLK_LOCAL_MEM_FENCE);
            OWN(i) {
                ACC old = most[i];
                JOIN(i, most[i], fmax)
                // When the maximum grows, everything summed so far is scaled
                // down by the same factor.
                ACC fade = exp(old - most[i]);
                total[i] *= fade;
                seen[i][0] *= fade;
                seen[i][1] *= fade;
                OWN(j) {
                    ACC share = exp(s[i][j] - most[i]);
                    total[i] += share;
                    p[MY_ROW(i) * SHARES + MY_COLUMN(j)] = share;
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            sums(p, v, x, y, seen);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        OWN(i) beside[MY_ROW(i) * SIDE + x] = total[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        OWN(i) {
            ACC all = 0.0f;
            JOIN(i, all, PLUS)
            seen[i][0] /= all;
            seen[i][1] /= all;
        }
        WRITE(out, text + inside, row, top, seen, 1.0f)
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
    local QUAD q[TILE * ROW], g[TILE * ROW], k[TILE * ROW], v[TILE * ROW];
    local ACC p[TILE * SHARES] WIDE, beside[TILE * SIDE];
    EACH_TILE {
        HEAD(true)
        FETCH(q, queries, 3 * row, top)
        FETCH(g, grad + grad_offset + text + inside, row, top)
        FETCH(k, seen + seen_offset + text + inside, row, top)
        barrier(CLK_LOCAL_MEM_FENCE);
        // The weighted mean of the dot products of g with the values equals
        // the dot product of g with the weighted mean of the values, which is
        // `seen`.
        OWN(i) {
            QUAD both = 0.0f;
            for (uint c = x; c < FOURS; c += SIDE)
                both += g[MY_ROW(i) * ROW + c] * k[MY_ROW(i) * ROW + c];
            beside[MY_ROW(i) * SIDE + x] = both.x + both.y + both.z + both.w;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        ACC mean[4] = {0};
        OWN(i) JOIN(i, mean[i], PLUS)
        QUAD back[4][2] = {{0}};
        ACC most[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
        ACC total[4] = {0};
        for (uint left = 0; left <= top; left += TILE) {
            FETCH(k, keys, 3 * row, left)
            FETCH(v, values, 3 * row, left)
            barrier(CLK_LOCAL_MEM_FENCE);
            ACC s[4][4] = {{0}}, t[4][4] = {{0}};
            dots(q, k, width / 4, x, y, s);
            dots(g, v, width / 4, x, y, t);
            MASK
            barrier(CLK_LOCAL_MEM_FENCE);
            OWN(i) {
                ACC old = most[i];
                JOIN(i, most[i], fmax)
                ACC fade = exp(old - most[i]);
                total[i] *= fade;
                back[i][0] *= fade;
                back[i][1] *= fade;
                OWN(j) {
                    ACC share = exp(s[i][j] - most[i]);
                    total[i] += share;
                    p[MY_ROW(i) * SHARES + MY_COLUMN(j)] =
                        share * (t[i][j] - mean[i]);
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            sums(p, k, x, y, back);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        OWN(i) beside[MY_ROW(i) * SIDE + x] = total[i];
        barrier(CLK_LOCAL_MEM_FENCE);
        OWN(i) {
            ACC all = 0.0f;
            JOIN(i, all, PLUS)
            back[i][0] /= all;
            back[i][1] /= all;
            uint place = top + MY_ROW(i), at = head * places + place;
            if (x == 0 && place < places) {
                measured[at] = most[i] + log(all);
                measured[n * places + at] = mean[i];
            }
        }
        WRITE(out, 3 * text + inside, 3 * row, top, back, scale)
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
    local QUAD k[TILE * ROW], v[TILE * ROW], q[TILE * ROW], g[TILE * ROW];
    local ACC p[TILE * SHARES] WIDE, d[TILE * SHARES] WIDE;
    EACH_TILE {
        HEAD(false)
        FETCH(k, keys, 3 * row, top)
        FETCH(v, values, 3 * row, top)
        QUAD of_k[4][2] = {{0}}, of_v[4][2] = {{0}};
        for (uint left = top; left < places; left += TILE) {
            FETCH(q, queries, 3 * row, left)
            FETCH(g, grad + grad_offset + text + inside, row, left)
            barrier(CLK_LOCAL_MEM_FENCE);
            ACC s[4][4] = {{0}}, t[4][4] = {{0}};
            dots(k, q, width / 4, x, y, s);
            dots(v, g, width / 4, x, y, t);
            OWN(j) {
                uint place = left + MY_COLUMN(j);
                uint at = head * places + min(place, places - 1);
                ACC most = measured[at], mean = measured[n * places + at];
                OWN(i) {
                    bool looks = top + MY_ROW(i) <= place && place < places;
                    ACC share = looks ? exp(s[i][j] * scale - most) : 0.0f;
                    p[MY_ROW(i) * SHARES + MY_COLUMN(j)] = share;
                    d[MY_ROW(i) * SHARES + MY_COLUMN(j)] =
                        share * (t[i][j] - mean);
                }
            }
            barrier(CLK_LOCAL_MEM_FENCE);
            sums(p, g, x, y, of_v);
            sums(d, q, x, y, of_k);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        WRITE(out, 3 * text + row + inside, 3 * row, top, of_k, scale)
        WRITE(out, 3 * text + 2 * row + inside, 3 * row, top, of_v, 1.0f)
    }
}
