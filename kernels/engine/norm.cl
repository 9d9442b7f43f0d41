// Layer normalization, which scales rows to mean 0 and variance 1: a (n,
// columns), weight (columns) and bias (columns), each dense, beginning at an
// offset -> out (n, columns). A team of items processes a row, and a group has
// several teams; the local size sets both numbers.

#define MAX_GROUP_ITEMS 256

// Adds the values of the items of each team; all items of the team get the
// sum.
#define TEAM_SUM(sum, x)                                                    \
    partials[item] = x;                                                     \
    barrier(CLK_LOCAL_MEM_FENCE);                                           \
    for (uint width = team / 2; width > 0; width /= 2) {                    \
        if (u < width)                                                      \
            partials[item] += partials[item + width];                       \
        barrier(CLK_LOCAL_MEM_FENCE);                                       \
    }                                                                       \
    ACC sum = partials[v * team];                                           \
    barrier(CLK_LOCAL_MEM_FENCE);

#define FOR_EACH_ROW                                                        \
    local ACC partials[MAX_GROUP_ITEMS];                                    \
    uint u = get_local_id(0), team = get_local_size(0);                     \
    uint v = get_local_id(1), rows = get_local_size(1);                     \
    uint item = v * team + u;                                               \
    for (uint top = get_group_id(1) * rows; top < n;                        \
         top += get_num_groups(1) * rows)

// The mean of a row and the inverse of its standard deviation.
#define STATISTICS                                                          \
    uint row = top + v, end = row < n ? columns : 0;                        \
    uint first = row * columns;                                             \
    ACC part = 0.0f;                                                        \
    for (uint i = u; i < end; i += team)                                    \
        part += LOAD(a, a_offset + first + i);                              \
    TEAM_SUM(sum, part)                                                     \
    ACC mean = sum / columns;                                               \
    part = 0.0f;                                                            \
    for (uint i = u; i < end; i += team) {                                  \
        ACC deviation = LOAD(a, a_offset + first + i) - mean;               \
        part += deviation * deviation;                                      \
    }                                                                       \
    TEAM_SUM(squares, part)                                                 \
    ACC rstd = 1.0f / sqrt(squares / columns + epsilon);

kernel void norm_rows(global const T *a, uint a_offset,
                      global const T *weight, uint weight_offset,
                      global const T *bias, uint bias_offset,
                      uint columns, ACC epsilon, global OUT *out, uint n)
{
    FOR_EACH_ROW {
        STATISTICS
        for (uint i = u; i < end; i += team) {
            ACC x = (LOAD(a, a_offset + first + i) - mean) * rstd;
            STORE(out, first + i, x * LOAD(weight, weight_offset + i)
                                      + LOAD(bias, bias_offset + i));
        }
    }
}

// Backward pass for the rows: grad (n, columns) -> out (n, columns). The
// gradients of the weight and bias are sums over the rows. STORE_ROW and
// STORE_ELEMENT store what these sums need, per row or per element.
#define GRADS(STORE_ROW, STORE_ELEMENT)                                     \
    FOR_EACH_ROW {                                                          \
        STATISTICS                                                          \
        STORE_ROW                                                           \
        ACC sum_g = 0.0f, sum_gx = 0.0f;                                    \
        for (uint i = u; i < end; i += team) {                              \
            ACC x = (LOAD(a, a_offset + first + i) - mean) * rstd;          \
            ACC g = LOAD(grad, grad_offset + first + i)                     \
                * LOAD(weight, weight_offset + i);                          \
            sum_g += g;                                                     \
            sum_gx += g * x;                                                \
        }                                                                   \
        TEAM_SUM(total_g, sum_g)                                            \
        TEAM_SUM(total_gx, sum_gx)                                          \
        for (uint i = u; i < end; i += team) {                              \
            ACC x = (LOAD(a, a_offset + first + i) - mean) * rstd;          \
            ACC upstream = LOAD(grad, grad_offset + first + i);             \
            ACC g = upstream * LOAD(weight, weight_offset + i);             \
            g -= (total_g + x * total_gx) / columns;                        \
            STORE(out, first + i, g * rstd);                                \
            STORE_ELEMENT                                                   \
        }                                                                   \
    }

// Stores the mean and the inverse standard deviation of each row -> measured
// (n, 2).
kernel void norm_grads(global const T *a, uint a_offset,
                       global const T *grad, uint grad_offset,
                       global const T *weight, uint weight_offset,
                       uint columns, ACC epsilon, global ACC *measured,
                       global OUT *out, uint n)
{
    GRADS(if (u == 0 && row < n) {
        measured[2 * row] = mean;
        measured[2 * row + 1] = rstd;
    }, )
}

// Stores each element's contribution to the gradient of the weight ->
// of_weight (n, columns).
kernel void norm_slopes(global const T *a, uint a_offset,
                        global const T *grad, uint grad_offset,
                        global const T *weight, uint weight_offset,
                        uint columns, ACC epsilon, global OUT *of_weight,
                        global OUT *out, uint n)
{
    GRADS(, STORE(of_weight, first + i, upstream * x);)
}

// The gradients of the weight and bias, summed over parts of `segment` rows:
// the column sums of grad times the normalized rows, and of grad -> of_bias,
// of_weight (parts, columns). A group has one column for each item of its
// first dimension; the items of its second dimension share a column.
kernel void norm_sums(global const T *a, uint a_offset,
                      global const T *grad, uint grad_offset,
                      global const ACC *measured, uint columns, uint segment,
                      global OUT *of_bias, global OUT *of_weight, uint n)
{
    local ACC biases[MAX_GROUP_ITEMS], weights[MAX_GROUP_ITEMS];
    uint u = get_local_id(0), group_columns = get_local_size(0);
    uint v = get_local_id(1), team = get_local_size(1);
    uint i = get_global_id(0), item = v * group_columns + u;
    uint part = get_group_id(1), from = part * segment;
    uint to = i < columns ? from + min(segment, n - from) : 0;
    ACC bias = 0.0f, weight = 0.0f;
    for (uint row = from + v; row < to;) {
        // Sums blocks of 32 first, to bound the rounding error of a long sum.
        ACC sum_g = 0.0f, sum_gx = 0.0f;
        for (uint end = min(row + 32 * team, to); row < end; row += team) {
            ACC g = LOAD(grad, grad_offset + row * columns + i);
            ACC deviation =
                LOAD(a, a_offset + row * columns + i) - measured[2 * row];
            sum_g += g;
            sum_gx += g * deviation * measured[2 * row + 1];
        }
        bias += sum_g;
        weight += sum_gx;
    }
    biases[item] = bias;
    weights[item] = weight;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint stride = team / 2; stride > 0; stride /= 2) {
        if (v < stride) {
            biases[item] += biases[item + stride * group_columns];
            weights[item] += weights[item + stride * group_columns];
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (v == 0 && i < columns) {
        STORE(of_bias, part * columns + i, biases[item]);
        STORE(of_weight, part * columns + i, weights[item]);
    }
}
