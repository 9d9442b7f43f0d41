// Rows brought to mean 0 and variance 1: a (n, columns), weight (columns) and
// bias (columns), each dense from an offset on -> out (n, columns). A team of
// items has a row, and a group has a team for each of its rows; the host says
// how many of each.

#define MOST_ITEMS 256

// Adds up what the items of each team have found; all of them get the sum.
#define TOTAL(sum, x)                                                       \
    found[item] = x;                                                        \
    barrier(CLK_LOCAL_MEM_FENCE);                                           \
    for (uint width = team / 2; width > 0; width /= 2) {                    \
        if (u < width)                                                      \
            found[item] += found[item + width];                             \
        barrier(CLK_LOCAL_MEM_FENCE);                                       \
    }                                                                       \
    ACC sum = found[v * team];                                              \
    barrier(CLK_LOCAL_MEM_FENCE);

#define TEAMS                                                               \
    local ACC found[MOST_ITEMS];                                            \
    uint u = get_local_id(0), team = get_local_size(0);                     \
    uint v = get_local_id(1), rows = get_local_size(1);                     \
    uint item = v * team + u;                                               \
    for (uint top = get_group_id(1) * rows; top < n;                        \
         top += get_num_groups(1) * rows)

// The mean of a row, and what brings its distances to variance 1.
#define MEASURE                                                             \
    uint row = top + v, end = row < n ? columns : 0;                        \
    uint first = row * columns;                                             \
    ACC part = 0.0f;                                                        \
    for (uint i = u; i < end; i += team)                                    \
        part += LOAD(a, a_offset + first + i);                              \
    TOTAL(sum, part)                                                        \
    ACC mean = sum / columns;                                               \
    part = 0.0f;                                                            \
    for (uint i = u; i < end; i += team) {                                  \
        ACC gap = LOAD(a, a_offset + first + i) - mean;                     \
        part += gap * gap;                                                  \
    }                                                                       \
    TOTAL(squares, part)                                                    \
    ACC inverse = 1.0f / sqrt(squares / columns + epsilon);

kernel void norm_rows(global const T *a, uint a_offset,
                      global const T *weight, uint weight_offset,
                      global const T *bias, uint bias_offset,
                      uint columns, ACC epsilon, global OUT *out, uint n)
{
    TEAMS {
        MEASURE
        for (uint i = u; i < end; i += team) {
            ACC x = (LOAD(a, a_offset + first + i) - mean) * inverse;
            STORE(out, first + i, x * LOAD(weight, weight_offset + i)
                                      + LOAD(bias, bias_offset + i));
        }
    }
}

// What comes back to the rows from grad (n, columns), and behind it what comes
// back to the weight from each row -> out (2, n, columns).
kernel void norm_grads(global const T *a, uint a_offset,
                       global const T *grad, uint grad_offset,
                       global const T *weight, uint weight_offset,
                       uint columns, ACC epsilon, global OUT *out, uint n)
{
    TEAMS {
        MEASURE
        ACC direct = 0.0f, along = 0.0f;
        for (uint i = u; i < end; i += team) {
            ACC x = (LOAD(a, a_offset + first + i) - mean) * inverse;
            ACC g = LOAD(grad, grad_offset + first + i)
                * LOAD(weight, weight_offset + i);
            direct += g;
            along += g * x;
        }
        TOTAL(of_mean, direct)
        TOTAL(of_square, along)
        for (uint i = u; i < end; i += team) {
            ACC x = (LOAD(a, a_offset + first + i) - mean) * inverse;
            ACC above = LOAD(grad, grad_offset + first + i);
            ACC g = above * LOAD(weight, weight_offset + i);
            g -= (of_mean + x * of_square) / columns;
            STORE(out, first + i, g * inverse);
            STORE(out, n * columns + first + i, above * x);
        }
    }
}
