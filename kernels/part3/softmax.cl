// The shares that the scores of a row have, or their logarithms: a (n,
// columns), dense from an offset of whole fours on -> out (n, columns). A team
// of items has a row, and a group has a team for each of its rows; the host
// says how many of each.

#define MOST_ITEMS 256

// So many fours of a row an item keeps in its registers: it reads its numbers
// once, all of them before it uses the first.
#define KEPT 16

// Joins what the items of each team have found; all of them get the result.
#define JOINED(JOIN)                                                        \
    barrier(CLK_LOCAL_MEM_FENCE);                                           \
    for (uint width = team / 2; width > 0; width /= 2) {                    \
        if (u < width)                                                      \
            found[item] = JOIN(found[item], found[item + width]);           \
        barrier(CLK_LOCAL_MEM_FENCE);                                       \
    }
#define SUM(a, b) ((a) + (b))

// Rows of whole fours. To have some for nothing costs less than to ask for the
// end again and again.
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
        // What is no number comes back by its exponential.
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
            // Beyond the end it is 0 anyway. On an NVIDIA H200 rows of 16384
            // take 521 us with this choice, and 672 without it.
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

// Four numbers that lie together in memory, from `at` on, of a row between two
// places: it begins anywhere among them. What lies outside has no share.
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

// The larger of two scores, or the one that is no number.
#define LARGER(a, b) ((a) > (b) || isnan(a) ? (a) : (b))

// The same of any rows. A team reads its row twice: for the largest score and
// the sum of the exponentials beside it, which grow together, and to write.
#define AT_ONCE 4

// What a sum of exponentials beside one score is worth beside a larger one.
// Beside no score there is no sum.
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
            // All are asked for before the first is used.
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
            // What an addition rounds away is given to the next.
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

// What comes back through logarithms of shares: y and grad (n, columns), each
// dense from an offset on -> out (n, columns), grad - exp(y) * the sum of its
// row of grad.
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
