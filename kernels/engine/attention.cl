// Causal self-attention over short texts: each position attends to itself and
// the positions before it. a (texts, places, 3 * heads * width), dense,
// beginning at an offset, holds the queries, keys and values of each position
// -> out (texts, places, heads * width), where places is the number of
// positions of a text. A group computes one head of one text; `n` is the
// number of heads of all texts.

// Maximum number of elements of a head, and of scores, in local memory.
#define MOST 1024

#define EACH(e, count) (uint e = item; e < (count); e += items)

// The head's first element; the heads of a position are adjacent in memory.
#define HEAD                                                                \
    uint item = get_local_id(0), items = get_local_size(0);                 \
    uint row = heads * width, size = places * width;                        \
    ACC scale = 1.0f / sqrt((ACC)width);
#define FIRST (one / heads * places * row + one % heads * width)

#define FETCH_HEAD                                                          \
    for EACH(e, size) {                                                     \
        uint at = offset + one / heads * places * 3 * row                   \
            + one % heads * width + e / width * 3 * row + e % width;        \
        q[e] = LOAD(a, at) * scale;                                         \
        k[e] = LOAD(a, at + row);                                           \
        v[e] = LOAD(a, at + 2 * row);                                       \
    }                                                                       \
    barrier(CLK_LOCAL_MEM_FENCE);

// Softmax of the scores: first the score of each query i and key j <= i, then
// one item per row replaces the scores by probabilities.
#define SHARES                                                              \
    for EACH(e, places * places) {                                          \
        uint i = e / places, j = e % places;                                \
        ACC sum = 0.0f;                                                     \
        for (uint c = 0; j <= i && c < width; c++)                          \
            sum += q[i * width + c] * k[j * width + c];                     \
        p[e] = sum;                                                         \
    }                                                                       \
    barrier(CLK_LOCAL_MEM_FENCE);                                           \
    for EACH(i, places) {                                                   \
        ACC most = p[i * places], sum = 0.0f;                               \
        for (uint j = 1; j <= i; j++)                                       \
            most = fmax(most, p[i * places + j]);                           \
        for (uint j = 0; j <= i; j++) {                                     \
            ACC share = exp(p[i * places + j] - most);                      \
            p[i * places + j] = share;                                      \
            sum += share;                                                   \
        }                                                                   \
        for (uint j = 0; j <= i; j++)                                       \
            p[i * places + j] /= sum;                                       \
    }                                                                       \
    barrier(CLK_LOCAL_MEM_FENCE);

kernel void attention_rows(global const T *a, uint offset, uint places,
                           uint heads, uint width, global OUT *out, uint n)
{
    local ACC q[MOST], k[MOST], v[MOST], p[MOST];
    HEAD
    for (uint one = get_group_id(0); one < n; one += get_num_groups(0)) {
        FETCH_HEAD
        SHARES
        for EACH(e, size) {
            uint i = e / width, c = e % width;
            ACC sum = 0.0f;
            for (uint j = 0; j <= i; j++)
                sum += p[i * places + j] * v[j * width + c];
            STORE(out, FIRST + i * row + c, sum);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Backward pass of attention_rows: grad (texts, places, heads * width), dense,
// beginning at an offset -> out, in the layout of `a`.
kernel void attention_grads(global const T *a, uint offset,
                            global const T *grad, uint grad_offset,
                            uint places, uint heads, uint width,
                            global OUT *out, uint n)
{
    local ACC q[MOST], k[MOST], v[MOST], p[MOST], g[MOST], s[MOST];
    HEAD
    for (uint one = get_group_id(0); one < n; one += get_num_groups(0)) {
        FETCH_HEAD
        for EACH(e, size)
            g[e] = LOAD(grad, grad_offset + FIRST + e / width * row
                                  + e % width);
        SHARES
        for EACH(e, places * places) {
            uint i = e / places, j = e % places;
            ACC sum = 0.0f;
            for (uint c = 0; j <= i && c < width; c++)
                sum += g[i * width + c] * v[j * width + c];
            s[e] = sum;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for EACH(i, places) {
            ACC total = 0.0f;
            for (uint j = 0; j <= i; j++)
                total += p[i * places + j] * s[i * places + j];
            for (uint j = 0; j <= i; j++)
                s[i * places + j] =
                    p[i * places + j] * (s[i * places + j] - total);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        for EACH(e, size) {
            uint i = e / width, c = e % width;
            ACC of_q = 0.0f, of_k = 0.0f, of_v = 0.0f;
            for (uint j = 0; j <= i; j++)
                of_q += s[i * places + j] * k[j * width + c];
            for (uint j = i; j < places; j++) {
                of_k += s[j * places + i] * q[j * width + c];
                of_v += p[j * places + i] * g[j * width + c];
            }
            uint at = one / heads * places * 3 * row + one % heads * width
                + i * 3 * row + c;
            STORE(out, at, of_q * scale);
            STORE(out, at + row, of_k);
            STORE(out, at + 2 * row, of_v);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
