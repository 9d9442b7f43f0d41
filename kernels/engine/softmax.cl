// Softmax of rows, or its logarithm: a (n, columns), dense, beginning at an
// offset that is a multiple of 4 -> out (n, columns). A team of items
// processes a row, and a group has several teams; the local size sets both
// numbers.

#define MOST_ITEMS 256

// Number of float4s of a row that an item keeps in registers: it loads its
// elements once, all of them before it uses the first.
#define KEPT 16

// Reduces the values of the items of each team; the result is in the team's
// first element.
#define JOINED(JOIN)                                                        \
    barrier(CLK_LOCAL_MEM_FENCE);                                           \
    for (uint width = team / 2; width > 0; width /= 2) {                    \
        if (u < width)                                                      \
            found[item] = JOIN(found[item], found[item + width]);           \
        barrier(CLK_LOCAL_MEM_FENCE);                                       \
    }
#define SUM(a, b) ((a) + (b))

// Rows whose length is a multiple of 4. Each loop runs over all KEPT float4s,
// because computing a few unused ones costs less than testing for the end in
// each iteration.
kernel void softmax_fours(global const T *a, uint offset, uint columns,
                          uint logs, global OUT *out, uint n)
{
    local ACC found[MOST_ITEMS];
    uint u = get_local_id(0), team = get_local_size(0);
    uint v = get_local_id(1), rows = get_local_size(1);
    uint item = v * team + u;
    for (uint top = get_group_id(1) * rows; top < n;
         top += get_num_groups(1) * rows) {
        uint row = top + v, end = row < n ? columns : 0;
        uint first = row * columns;
        FOUR(ACC) x[KEPT], most4 = -INFINITY, sum4 = 0.0f;
        #pragma unroll
        for (uint j = 0; j < KEPT; j++) {
            uint at = 4 * (u + j * team);
            x[j] = at < end
                ? LOAD4(a, offset + first + at)
                : (FOUR(ACC))(-INFINITY);
        }
        // fmax ignores a NaN, but the exponential below propagates it.
        #pragma unroll
        for (uint j = 0; j < KEPT; j++)
            most4 = fmax(most4, x[j]);
        found[item] = fmax(fmax(most4.x, most4.y), fmax(most4.z, most4.w));
        JOINED(fmax)
        ACC most = found[v * team];
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (uint j = 0; j < KEPT; j++) {
            x[j] -= most;
            FOUR(ACC) more = exp(x[j]);
            // Past the end `more` is 0 anyway, but the selection makes long
            // rows faster; see docs/benchmarks.md.
            sum4 += 4 * (u + j * team) < end ? more : (FOUR(ACC))(0.0f);
            x[j] = logs ? x[j] : more;
        }
        found[item] = (sum4.x + sum4.y) + (sum4.z + sum4.w);
        JOINED(SUM)
        ACC sum = found[v * team];
        ACC total = logs ? log(sum) : 0.0f, share = logs ? 1.0f : 1.0f / sum;
        #pragma unroll
        for (uint j = 0; j < KEPT; j++) {
            uint at = 4 * (u + j * team);
            if (at < end)
                STORE4(out, first + at, (x[j] - total) * share);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// Loads four elements beginning at index `at`, which is a multiple of 4, from
// a row that occupies the indices from `begin` to `end`. Elements outside the
// row are -infinity, whose probability is 0.
#define IS_IN(at) (begin <= (at) && (at) < end)
#define ONE(k) (IS_IN(at + k) ? LOAD(row, at + k) : -INFINITY)
FOUR(ACC) fetch(global const T *row, uint at, uint begin, uint end)
{
    if (begin <= at && at + 4 <= end)
        return LOAD4(row, at);
    return (FOUR(ACC))(ONE(0), ONE(1), ONE(2), ONE(3));
}

#define PUT(k, value)                                                       \
    if (IS_IN(at + k))                                                      \
        STORE(row, at + k, value);
void store(global OUT *row, uint at, uint begin, uint end, FOUR(ACC) x)
{
    if (begin <= at && at + 4 <= end) {
        STORE4(row, at, x);
        return;
    }
    PUT(0, x.x) PUT(1, x.y) PUT(2, x.z) PUT(3, x.w)
}

// The larger of two scores, or the one that is NaN.
#define LARGER(a, b) ((a) > (b) || isnan(a) ? (a) : (b))

// Softmax of rows of any length. A team reads its row twice: first for the
// maximum and the sum of exponentials, which is rescaled whenever the maximum
// grows, and then to write the result.
#define AT_ONCE 4

// Rescales a sum of exponentials relative to `score` so that it is relative to
// `larger`. While the maximum is -infinity, the sum is empty.
ACC worth(ACC sum, ACC score, ACC larger)
{
    return score == -INFINITY ? 0.0f : sum * exp(score - larger);
}

kernel void softmax_rows(global const T *a, uint offset, uint columns,
                         uint logs, global OUT *out, uint n)
{
    local ACC mosts[MOST_ITEMS], sums[MOST_ITEMS];
    uint u = get_local_id(0), team = get_local_size(0);
    uint v = get_local_id(1), rows = get_local_size(1);
    uint item = v * team + u;
    for (uint top = get_group_id(1) * rows; top < n;
         top += get_num_groups(1) * rows) {
        uint row = top + v, first = row * columns, begin = first % 4;
        uint end = row < n ? begin + columns : 0;
        first -= begin;
        ACC most = -INFINITY, sum = 0.0f, excess = 0.0f;
        for (uint i = 4 * u; i < end; i += 4 * AT_ONCE * team) {
            // All loads are issued before the first result is used.
            FOUR(ACC) x[AT_ONCE];
            ACC larger = most;
            #pragma unroll
            for (uint j = 0; j < AT_ONCE; j++)
                x[j] = fetch(a + offset + first, i + 4 * j * team, begin, end);
            #pragma unroll
            for (uint j = 0; j < AT_ONCE; j++) {
                larger = LARGER(x[j].x, larger);
                larger = LARGER(x[j].y, larger);
                larger = LARGER(x[j].z, larger);
                larger = LARGER(x[j].w, larger);
            }
            sum = worth(sum, most, larger);
            excess = worth(excess, most, larger);
            most = larger;
            ACC more = 0.0f;
            #pragma unroll
            for (uint j = 0; j < AT_ONCE; j++) {
                more += worth(1.0f, x[j].x, most) + worth(1.0f, x[j].y, most);
                more += worth(1.0f, x[j].z, most) + worth(1.0f, x[j].w, most);
            }
            // The rounding error of each addition is carried into the next.
            ACC given = more - excess, next = sum + given;
            excess = next - sum - given;
            sum = next;
        }
        mosts[item] = most;
        sums[item] = sum;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint width = team / 2; width > 0; width /= 2) {
            if (u < width) {
                ACC other = mosts[item + width], more = sums[item + width];
                ACC larger = LARGER(other, most);
                sum = worth(sum, most, larger) + worth(more, other, larger);
                most = larger;
                mosts[item] = most;
                sums[item] = sum;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        sum = sums[v * team];
        most = mosts[v * team];
        ACC total = log(sum);
        for (uint i = 4 * u; i < end; i += 4 * AT_ONCE * team) {
            FOUR(ACC) x[AT_ONCE];
            #pragma unroll
            for (uint j = 0; j < AT_ONCE; j++)
                x[j] = fetch(a + offset + first, i + 4 * j * team, begin, end);
            #pragma unroll
            for (uint j = 0; j < AT_ONCE; j++) {
                x[j] = x[j] - most - total;
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
    local ACC found[MOST_ITEMS];
    uint u = get_local_id(0), team = get_local_size(0);
    uint v = get_local_id(1), rows = get_local_size(1);
    uint item = v * team + u;
    for (uint top = get_group_id(1) * rows; top < n;
         top += get_num_groups(1) * rows) {
        uint row = top + v, end = row < n ? columns : 0;
        uint first = row * columns;
        ACC sum = 0.0f, excess = 0.0f;
        for (uint i = u; i < end; i += team) {
            ACC given = LOAD(grad, grad_offset + first + i) - excess;
            ACC next = sum + given;
            excess = isinf(next) ? 0.0f : next - sum - given;
            sum = next;
        }
        found[item] = sum;
        JOINED(SUM)
        sum = found[v * team];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = u; i < end; i += team) {
            ACC share = exp(LOAD(y, y_offset + first + i));
            ACC above = LOAD(grad, grad_offset + first + i);
            STORE(out, first + i, above - share * sum);
        }
    }
}
