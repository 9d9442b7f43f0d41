// The logarithms of the shares that the scores of a row have: a (n, columns),
// dense from an offset on -> out (n, columns). A team of items has a row, and a
// group has a team for each of its rows; the host says how many of each. A
// team reads its row twice: for the largest score and the sum of the
// exponentials beside it, which grow together, and to write.

#define MOST_ITEMS 256
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
                larger = x[j] > larger || isnan(x[j]) ? x[j] : larger;
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
                ACC larger = other > most || isnan(other) ? other : most;
                sum = worth(sum, most, larger) + worth(more, other, larger);
                most = larger;
                mosts[item] = most;
                sums[item] = sum;
            }
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        ACC total = log(sums[v * team]);
        most = mosts[v * team];
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
