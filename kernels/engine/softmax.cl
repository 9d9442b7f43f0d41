// Softmax of rows, or its logarithm: a (n, columns), dense, beginning at an
// offset that is a multiple of 4 -> out (n, columns).
//
//     out[i] = exp(a[i] - max(a)) / sum over j of exp(a[j] - max(a))
//
// 1. A team of items processes a row, and a group has several teams; the local
//    size sets both numbers.
// 2. Four elements are loaded at once, and several loads are issued before the
//    first result is used.
// 3. softmax_fours keeps the row in registers and reads it once. softmax_rows
//    reads a row of any length twice: the maximum and the sum of exponentials
//    are found in the same pass (online softmax).

#define MAX_GROUP_ITEMS 256

// Number of float4s of a row that an item keeps in registers: it loads its
// elements once, all of them before it uses the first.
#define ROW_FOURS 16

// Reduces the values of the items of each team; the result is in the team's
// first element.
#define REDUCE_TEAM(JOIN)                                                   \
    barrier(CLK_LOCAL_MEM_FENCE);                                           \
    for (uint width = team / 2; width > 0; width /= 2) {                    \
        if (u < width)                                                      \
            partials[item] = JOIN(partials[item], partials[item + width]);  \
        barrier(CLK_LOCAL_MEM_FENCE);                                       \
    }
#define SUM(a, b) ((a) + (b))

// Rows whose length is a multiple of 4. Each loop runs over all ROW_FOURS
// float4s, because computing a few unused ones costs less than testing for the
// end in each iteration.
kernel void softmax_fours(global const T *a, uint offset, uint columns,
                          uint logs, global OUT *out, uint n)
{
    local ACC partials[MAX_GROUP_ITEMS];
    uint u = get_local_id(0), team = get_local_size(0);
    uint v = get_local_id(1), rows = get_local_size(1);
    uint item = v * team + u;
    for (uint top = get_group_id(1) * rows; top < n;
         top += get_num_groups(1) * rows) {
        uint row = top + v, end = row < n ? columns : 0;
        uint first = row * columns;
        FOUR(ACC) x[ROW_FOURS], max4 = -INFINITY, sum4 = 0.0f;
        #pragma unroll
        for (uint j = 0; j < ROW_FOURS; j++) {
            uint index = 4 * (u + j * team);
            x[j] = index < end
                ? LOAD4(a, offset + first + index)
                : (FOUR(ACC))(-INFINITY);
        }
        // fmax ignores a NaN, but the exponential below propagates it.
        #pragma unroll
        for (uint j = 0; j < ROW_FOURS; j++)
            max4 = fmax(max4, x[j]);
        partials[item] = fmax(fmax(max4.x, max4.y), fmax(max4.z, max4.w));
        REDUCE_TEAM(fmax)
        ACC row_max = partials[v * team];
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (uint j = 0; j < ROW_FOURS; j++) {
            x[j] -= row_max;
            FOUR(ACC) exps = exp(x[j]);
            // Past the end `exps` is 0 anyway, but the selection makes long
            // rows faster; see docs/benchmarks.md.
            sum4 += 4 * (u + j * team) < end ? exps : (FOUR(ACC))(0.0f);
            x[j] = logs ? x[j] : exps;
        }
        partials[item] = (sum4.x + sum4.y) + (sum4.z + sum4.w);
        REDUCE_TEAM(SUM)
        ACC sum = partials[v * team];
        ACC total = logs ? log(sum) : 0.0f, factor = logs ? 1.0f : 1.0f / sum;
        #pragma unroll
        for (uint j = 0; j < ROW_FOURS; j++) {
            uint index = 4 * (u + j * team);
            if (index < end)
                STORE4(out, first + index, (x[j] - total) * factor);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Loads four elements from `index` on, a multiple of 4, from a row that occupies
// the indices from `begin` to `end`. Elements outside the row are -infinity,
// whose probability is 0.
#define IS_INSIDE(index) (begin <= (index) && (index) < end)
#define LOAD_IF_INSIDE(k)                                                   \
    (IS_INSIDE(index + k) ? LOAD(row, index + k) : -INFINITY)
FOUR(ACC) fetch(global const T *row, uint index, uint begin, uint end)
{
    if (begin <= index && index + 4 <= end)
        return LOAD4(row, index);
    return (FOUR(ACC))(LOAD_IF_INSIDE(0), LOAD_IF_INSIDE(1),
                       LOAD_IF_INSIDE(2), LOAD_IF_INSIDE(3));
}

#define STORE_IF_INSIDE(k, value)                                           \
    if (IS_INSIDE(index + k))                                               \
        STORE(row, index + k, value);
void store(global OUT *row, uint index, uint begin, uint end, FOUR(ACC) x)
{
    if (begin <= index && index + 4 <= end) {
        STORE4(row, index, x);
        return;
    }
    STORE_IF_INSIDE(0, x.x) STORE_IF_INSIDE(1, x.y)
    STORE_IF_INSIDE(2, x.z) STORE_IF_INSIDE(3, x.w)
}

// The larger of two scores, or the one that is NaN.
#define LARGER(a, b) ((a) > (b) || isnan(a) ? (a) : (b))

// Softmax of rows of any length. A team reads its row twice: first for the
// maximum and the sum of exponentials, which is rescaled whenever the maximum
// grows, and then to write the result.
#define LOADS_IN_FLIGHT 4

// Rescales a sum of exponentials relative to `score` so that it is relative to
// `larger`. While the maximum is -infinity, the sum is empty.
ACC rescale(ACC sum, ACC score, ACC larger)
{
    return score == -INFINITY ? 0.0f : sum * exp(score - larger);
}

kernel void softmax_rows(global const T *a, uint offset, uint columns,
                         uint logs, global OUT *out, uint n)
{
    local ACC maxima[MAX_GROUP_ITEMS], sums[MAX_GROUP_ITEMS];
    uint u = get_local_id(0), team = get_local_size(0);
    uint v = get_local_id(1), rows = get_local_size(1);
    uint item = v * team + u;
    for (uint top = get_group_id(1) * rows; top < n;
         top += get_num_groups(1) * rows) {
        uint row = top + v, first = row * columns, begin = first % 4;
        uint end = row < n ? begin + columns : 0;
        first -= begin;
        ACC row_max = -INFINITY, sum = 0.0f, excess = 0.0f;
        for (uint i = 4 * u; i < end; i += 4 * LOADS_IN_FLIGHT * team) {
            // All loads are issued before the first result is used.
            FOUR(ACC) x[LOADS_IN_FLIGHT];
            ACC larger = row_max;
            #pragma unroll
            for (uint j = 0; j < LOADS_IN_FLIGHT; j++)
                x[j] = fetch(a + offset + first, i + 4 * j * team, begin, end);
            #pragma unroll
            for (uint j = 0; j < LOADS_IN_FLIGHT; j++) {
                larger = LARGER(x[j].x, larger);
                larger = LARGER(x[j].y, larger);
                larger = LARGER(x[j].z, larger);
                larger = LARGER(x[j].w, larger);
            }
            sum = rescale(sum, row_max, larger);
            excess = rescale(excess, row_max, larger);
            row_max = larger;
            ACC exps = 0.0f;
            #pragma unroll
            for (uint j = 0; j < LOADS_IN_FLIGHT; j++) {
                exps += rescale(1.0f, x[j].x, row_max)
                        + rescale(1.0f, x[j].y, row_max);
                exps += rescale(1.0f, x[j].z, row_max)
                        + rescale(1.0f, x[j].w, row_max);
            }
            // The rounding error of each addition is carried into the next.
            ACC term = exps - excess, next = sum + term;
            excess = next - sum - term;
            sum = next;
        }
        maxima[item] = row_max;
        sums[item] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint width = team / 2; width > 0; width /= 2) {
            if (u < width) {
                ACC other = maxima[item + width], exps = sums[item + width];
                ACC larger = LARGER(other, row_max);
                sum = rescale(sum, row_max, larger)
                      + rescale(exps, other, larger);
                row_max = larger;
                maxima[item] = row_max;
                sums[item] = sum;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        sum = sums[v * team];
        row_max = maxima[v * team];
        ACC total = log(sum);
        for (uint i = 4 * u; i < end; i += 4 * LOADS_IN_FLIGHT * team) {
            FOUR(ACC) x[LOADS_IN_FLIGHT];
            #pragma unroll
            for (uint j = 0; j < LOADS_IN_FLIGHT; j++)
                x[j] = fetch(a + offset + first, i + 4 * j * team, begin, end);
            #pragma unroll
            for (uint j = 0; j < LOADS_IN_FLIGHT; j++) {
                x[j] = x[j] - row_max - total;
                store(out + first, i + 4 * j * team, begin, end,
                      logs ? x[j] : exp(x[j]));
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Backward pass of the logarithm of softmax: y and grad (n, columns), each
// dense, beginning at an offset -> out (n, columns), grad - exp(y) * the sum
// of its row of grad.
kernel void softmax_grads(global const T *y, uint y_offset,
                          global const T *grad, uint grad_offset,
                          uint columns, global OUT *out, uint n)
{
    local ACC partials[MAX_GROUP_ITEMS];
    uint u = get_local_id(0), team = get_local_size(0);
    uint v = get_local_id(1), rows = get_local_size(1);
    uint item = v * team + u;
    for (uint top = get_group_id(1) * rows; top < n;
         top += get_num_groups(1) * rows) {
        uint row = top + v, end = row < n ? columns : 0;
        uint first = row * columns;
        ACC sum = 0.0f, excess = 0.0f;
        for (uint i = u; i < end; i += team) {
            ACC term = LOAD(grad, grad_offset + first + i) - excess;
            ACC next = sum + term;
            excess = isinf(next) ? 0.0f : next - sum - term;
            sum = next;
        }
        partials[item] = sum;
        REDUCE_TEAM(SUM)
        sum = partials[v * team];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = u; i < end; i += team) {
            ACC factor = exp(LOAD(y, y_offset + first + i));
            ACC upstream = LOAD(grad, grad_offset + first + i);
            STORE(out, first + i, upstream - factor * sum);
        }
    }
}
