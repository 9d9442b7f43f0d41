// Causal self-attention over short texts: each position attends to itself and
// the positions before it. a (texts, places, 3 * heads * width), dense,
// beginning at an offset, holds the queries, keys and values of each position
// -> out (texts, places, heads * width), where places is the number of
// positions of a text; `n` is the number of heads of all texts. For the
// algorithm see long_attention.cl.
//
// 1. A group computes one head of one text, with the whole head and all of its
//    scores in local memory.
// 2. Scores of keys after the query are not computed.

// Maximum number of elements of a head, and of scores, in local memory.
#define MAX_SIZE 1024

#define EACH(e, count) (uint e = item; e < (count); e += items)

// The head's first element; the heads of a position are adjacent in memory.
#define DECLARE_SIZES                                                       \
    uint item = get_local_id(0), items = get_local_size(0);                 \
    uint row = heads * width, size = places * width;                        \
    ACC scale = 1.0f / sqrt((ACC)width);
#define HEAD_START (head / heads * places * row + head % heads * width)

#define FETCH_HEAD                                                          \
    for EACH(e, size) {                                                     \
        uint index = offset + head / heads * places * 3 * row               \
            + head % heads * width + e / width * 3 * row + e % width;       \
        q[e] = LOAD(a, index) * scale;                                      \
        k[e] = LOAD(a, index + row);                                        \
        v[e] = LOAD(a, index + 2 * row);                                    \
    }                                                                       \
    barrier(CLK_LOCAL_MEM_FENCE);

// Softmax of the scores: first the score of each query i and key j <= i, then
// one item per row replaces the scores by probabilities.
#define SCORES_TO_PROBS                                                     \
    for EACH(e, places * places) {                                          \
        uint i = e / places, j = e % places;                                \
        ACC sum = 0.0f;                                                     \
        for (uint c = 0; j <= i && c < width; c++)                          \
            sum += q[i * width + c] * k[j * width + c];                     \
        p[e] = sum;                                                         \
    }                                                                       \
    barrier(CLK_LOCAL_MEM_FENCE);                                           \
    for EACH(i, places) {                                                   \
        ACC max_score = p[i * places], sum = 0.0f;                          \
        for (uint j = 1; j <= i; j++)                                       \
            max_score = fmax(max_score, p[i * places + j]);                 \
        for (uint j = 0; j <= i; j++) {                                     \
            ACC weight = exp(p[i * places + j] - max_score);                \
            p[i * places + j] = weight;                                     \
            sum += weight;                                                  \
        }                                                                   \
        for (uint j = 0; j <= i; j++)                                       \
            p[i * places + j] /= sum;                                       \
    }                                                                       \
    barrier(CLK_LOCAL_MEM_FENCE);

kernel void attention_rows(global const T *a, uint offset, uint places,
                           uint heads, uint width, global OUT *out, uint n)
{
    local ACC q[MAX_SIZE], k[MAX_SIZE], v[MAX_SIZE], p[MAX_SIZE];
    DECLARE_SIZES
    for (uint head = get_group_id(0); head < n; head += get_num_groups(0)) {
        FETCH_HEAD
        SCORES_TO_PROBS
        for EACH(e, size) {
            uint i = e / width, c = e % width;
            ACC sum = 0.0f;
            for (uint j = 0; j <= i; j++)
                sum += p[i * places + j] * v[j * width + c];
            STORE(out, HEAD_START + i * row + c, sum);
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
    local ACC q[MAX_SIZE], k[MAX_SIZE], v[MAX_SIZE];
    local ACC p[MAX_SIZE], g[MAX_SIZE], s[MAX_SIZE];
    DECLARE_SIZES
    for (uint head = get_group_id(0); head < n; head += get_num_groups(0)) {
        FETCH_HEAD
        for EACH(e, size)
            g[e] = LOAD(grad, grad_offset + HEAD_START + e / width * row
                                  + e % width);
        SCORES_TO_PROBS
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
            ACC grad_q = 0.0f, grad_k = 0.0f, grad_v = 0.0f;
            for (uint j = 0; j <= i; j++)
                grad_q += s[i * places + j] * k[j * width + c];
            for (uint j = i; j < places; j++) {
                grad_k += s[j * places + i] * q[j * width + c];
                grad_v += p[j * places + i] * g[j * width + c];
            }
            uint index = head / heads * places * 3 * row + head % heads * width
                + i * 3 * row + c;
            STORE(out, index, grad_q * scale);
            STORE(out, index + row, grad_k);
            STORE(out, index + 2 * row, grad_v);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
