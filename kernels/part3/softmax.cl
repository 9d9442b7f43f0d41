// The shares that the scores of a row have, or their logarithms: a (n,
// columns), dense from an offset on -> out (n, columns). A team of items has a
// row, and a group has a team for each of its rows; the host says how many of
// each.

#define MOST_ITEMS 256
#define GLUE(type, count) type##count
#define FOUR(type) GLUE(type, 4)

// So many fours of a row an item keeps in its registers: it reads its numbers
// once, all of them before it uses the first.
#define KEPT 16

// Four numbers of a row of `end`: side by side, or each beside those of the
// other items of the team. What lies beyond the end has no share.
FOUR(ACC) fetch(global const T *row, uint j, uint u, uint team, uint end,
                bool fours)
{
    uint at = 4 * (u + j * team);
    if (fours)
        return at < end ? *(global const FOUR(T) *)(row + at)
                        : (FOUR(ACC))(-INFINITY);
    at = u + 4 * j * team;
    return (FOUR(ACC))(at < end ? row[at] : -INFINITY,
                       at + team < end ? row[at + team] : -INFINITY,
                       at + 2 * team < end ? row[at + 2 * team] : -INFINITY,
                       at + 3 * team < end ? row[at + 3 * team] : -INFINITY);
}

void store(global T *row, uint j, uint u, uint team, uint end, bool fours,
           FOUR(ACC) x)
{
    uint at = 4 * (u + j * team);
    if (fours) {
        if (at < end)
            *(global FOUR(T) *)(row + at) = x;
        return;
    }
    at = u + 4 * j * team;
    if (at < end)
        row[at] = x.x;
    if (at + team < end)
        row[at + team] = x.y;
    if (at + 2 * team < end)
        row[at + 2 * team] = x.z;
    if (at + 3 * team < end)
        row[at + 3 * team] = x.w;
}

// Joins what the items of each team have found; all of them get the result.
#define JOINED(JOIN)                                                        \
    barrier(CLK_LOCAL_MEM_FENCE);                                           \
    for (uint width = team / 2; width > 0; width /= 2) {                    \
        if (u < width)                                                      \
            found[item] = JOIN(found[item], found[item + width]);           \
        barrier(CLK_LOCAL_MEM_FENCE);                                       \
    }
#define SUM(a, b) ((a) + (b))
// Whether any item has such a four. To ask costs whole fours more than to have
// some for nothing.
#define IS_USED(j) (fours || 4 * (j) * team < columns)

// `fours` is a constant where this is called, so no item asks for it.
void shares(global const T *a, uint offset, uint columns, uint logs,
            global T *out, uint n, local ACC *found, bool fours)
{
    uint u = get_local_id(0), team = get_local_size(0);
    uint v = get_local_id(1), rows = get_local_size(1);
    uint item = v * team + u;
    for (uint top = get_group_id(1) * rows; top < n;
         top += get_num_groups(1) * rows) {
        uint row = top + v, end = row < n ? columns : 0;
        uint first = row * columns;
        FOUR(ACC) x[KEPT], most4 = -INFINITY, sum4 = 0.0f;
        #pragma unroll
        for (uint j = 0; j < KEPT; j++)
            if (IS_USED(j))
                x[j] = fetch(a + offset + first, j, u, team, end, fours);
        // What is no number comes back by its exponential.
        #pragma unroll
        for (uint j = 0; j < KEPT; j++)
            if (IS_USED(j))
                most4 = fmax(most4, x[j]);
        found[item] = fmax(fmax(most4.x, most4.y), fmax(most4.z, most4.w));
        JOINED(fmax)
        ACC most = found[v * team];
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (uint j = 0; j < KEPT; j++) {
            if (!IS_USED(j))
                continue;
            x[j] -= most;
            FOUR(ACC) more = exp(x[j]);
            // Beyond the end it is 0 anyway. On an NVIDIA H200 rows of 16384
            // take 521 us with this choice, and 672 without it.
            bool is_in = !fours || 4 * (u + j * team) < end;
            sum4 += is_in ? more : (FOUR(ACC))(0.0f);
            x[j] = logs ? x[j] : more;
        }
        found[item] = (sum4.x + sum4.y) + (sum4.z + sum4.w);
        JOINED(SUM)
        ACC sum = found[v * team];
        ACC total = logs ? log(sum) : 0.0f, share = logs ? 1.0f : 1.0f / sum;
        #pragma unroll
        for (uint j = 0; j < KEPT; j++)
            if (IS_USED(j))
                store(out + first, j, u, team, end, fours,
                      (x[j] - total) * share);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

kernel void softmax_kept(global const T *a, uint offset, uint columns,
                         uint logs, global T *out, uint n)
{
    local ACC found[MOST_ITEMS];
    shares(a, offset, columns, logs, out, n, found, false);
}

kernel void softmax_fours(global const T *a, uint offset, uint columns,
                          uint logs, global T *out, uint n)
{
    local ACC found[MOST_ITEMS];
    shares(a, offset, columns, logs, out, n, found, true);
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
                         uint logs, global T *out, uint n)
{
    local ACC mosts[MOST_ITEMS], sums[MOST_ITEMS];
    uint u = get_local_id(0), team = get_local_size(0);
    uint v = get_local_id(1), rows = get_local_size(1);
    uint item = v * team + u;
    for (uint top = get_group_id(1) * rows; top < n;
         top += get_num_groups(1) * rows) {
        uint row = top + v, end = row < n ? columns : 0;
        uint first = row * columns;
        ACC most = -INFINITY, sum = 0.0f, excess = 0.0f;
        for (uint i = u; i < end; i += AT_ONCE * team) {
            // All are asked for before the first is used.
            ACC x[AT_ONCE], larger = most;
            #pragma unroll
            for (uint j = 0; j < AT_ONCE; j++) {
                uint at = i + j * team;
                x[j] = at < end ? a[offset + first + at] : -INFINITY;
            }
            #pragma unroll
            for (uint j = 0; j < AT_ONCE; j++)
                larger = LARGER(x[j], larger);
            sum = worth(sum, most, larger);
            excess = worth(excess, most, larger);
            most = larger;
            ACC more = 0.0f;
            #pragma unroll
            for (uint j = 0; j < AT_ONCE; j++)
                more += worth(1.0f, x[j], most);
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
        for (uint i = u; i < end; i += AT_ONCE * team) {
            #pragma unroll
            for (uint j = 0; j < AT_ONCE; j++) {
                uint at = i + j * team;
                if (at < end) {
                    ACC x = a[offset + first + at] - most - total;
                    out[first + at] = logs ? x : exp(x);
                }
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
