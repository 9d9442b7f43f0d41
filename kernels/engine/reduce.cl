// Reductions: sums and maxima. The order of the additions depends only on the
// sizes, so the same input gives the same bits in every run.

#define GROUP 256
// Number of loads that an item issues before it uses the first result.
#define LOADS_IN_FLIGHT 4

// Adds x to a sum with compensated (Kahan) summation: the rounding error of
// the addition is left in `excess` for the next one, so that errors do not
// accumulate in a long sum.
ACC add(ACC sum, ACC x, ACC *excess)
{
    ACC term = x - *excess;
    ACC next = sum + term;
    // The excess is how much more the sum grew than it should have. After an
    // overflow to infinity it would be NaN, so it is set to 0.
    *excess = isinf(next) ? 0.0f : next - sum - term;
    return next;
}

ACC larger(ACC x, ACC y)
{
    return y > x || isnan(y) ? y : x;
}

// Rows of contiguous elements: (rows, columns) -> (rows, parts), where a part
// is `segment` columns. A team of items reduces one of the n parts. A group
// has several teams, and if the number of groups is limited, a team processes
// several parts. Each item of a team reduces every team-th element in a
// register, then a tree combines their results.
#define ROWS(NAME, START, STEP, JOIN)                                       \
    kernel void NAME(global const T *a, uint offset, uint row_stride,       \
                     uint columns, uint segment, global OUT *out, uint n)   \
    {                                                                       \
        local ACC tree[GROUP];                                              \
        uint u = get_local_id(0), team = get_local_size(0);                 \
        uint v = get_local_id(1), teams = get_local_size(1);                \
        uint item = v * team + u;                                           \
        uint parts = (columns - 1) / segment + 1;                           \
        for (uint top = get_group_id(1) * teams; top < n;                   \
             top += get_num_groups(1) * teams) {                            \
            uint index = top + v, from = index % parts * segment;           \
            uint to = from + min(segment, columns - from);                  \
            to = index < n ? to : 0;                                        \
            uint row = offset + index / parts * row_stride;                 \
            ACC x = START, excess = 0.0f;                                   \
            for (uint i = from + u; i < to; i += LOADS_IN_FLIGHT * team) {  \
                ACC values[LOADS_IN_FLIGHT];                                \
                for (uint j = 0; j < LOADS_IN_FLIGHT; j++) {                \
                    uint column = i + j * team;                             \
                    values[j] = column < to ? LOAD(a, row + column) : START;\
                }                                                           \
                for (uint j = 0; j < LOADS_IN_FLIGHT; j++) {                \
                    ACC y = values[j];                                      \
                    x = STEP;                                               \
                }                                                           \
            }                                                               \
            tree[item] = x;                                                 \
            barrier(CLK_LOCAL_MEM_FENCE);                                   \
                                                                            \
            for (uint width = team / 2; width > 0; width /= 2) {            \
                if (u < width) {                                            \
                    ACC x = tree[item];                                     \
                    ACC y = tree[item + width];                             \
                    tree[item] = JOIN;                                      \
                }                                                           \
                barrier(CLK_LOCAL_MEM_FENCE);                               \
            }                                                               \
                                                                            \
            if (u == 0 && index < n)                                        \
                STORE(out, index, tree[item]);                              \
            barrier(CLK_LOCAL_MEM_FENCE);                                   \
        }                                                                   \
    }

// Columns of matrices (outer, height, inner) -> (parts, width), where a part
// is `segment` rows and width is outer * inner. One item per column and part:
// it reduces blocks of 32 elements, then the results of the blocks. With other
// strides, the columns may be short rows.
#define COLUMNS(NAME, START, STEP, JOIN)                                    \
    kernel void NAME(global const T *a, uint offset, uint row_stride,       \
                     uint column_stride, uint inner, uint outer_stride,     \
                     uint width, uint height, uint segment, global OUT *out)\
    {                                                                       \
        uint i = get_global_id(0);                                          \
        uint part = i / width;                                              \
        if (part > (height - 1) / segment)                                  \
            return;                                                         \
        uint from = part * segment;                                         \
        uint to = from + min(segment, height - from);                       \
        uint column = offset + i % width / inner * outer_stride             \
                      + i % width % inner * column_stride;                  \
        ACC x = START, excess = 0.0f;                                       \
        for (uint row = from; row < to;) {                                  \
            ACC y = START;                                                  \
            for (uint end = min(row + 32, to); row < end; row++) {          \
                ACC x = LOAD(a, column + row * row_stride);                 \
                y = JOIN;                                                   \
            }                                                               \
            x = STEP;                                                       \
        }                                                                   \
        STORE(out, i, x);                                                   \
    }

// Short columns, of matrices as above -> (width). A group has one column for
// each item of its first dimension. The items of its second dimension share a
// column, and a tree combines their results.
#define SHORT_COLUMNS(NAME, START, STEP, JOIN)                              \
    kernel void NAME(global const T *a, uint offset, uint row_stride,       \
                     uint column_stride, uint inner, uint outer_stride,     \
                     uint width, uint height, global OUT *out)              \
    {                                                                       \
        local ACC tree[GROUP];                                              \
        uint u = get_local_id(0), group_columns = get_local_size(0);        \
        uint v = get_local_id(1), team = get_local_size(1);                 \
        uint i = get_global_id(0), item = v * group_columns + u;            \
        uint end = i < width ? height : 0;                                  \
        uint column = offset + i / inner * outer_stride                     \
                      + i % inner * column_stride;                          \
        ACC x = START, excess = 0.0f;                                       \
        for (uint row = v; row < end; row += LOADS_IN_FLIGHT * team) {      \
            ACC values[LOADS_IN_FLIGHT];                                    \
            for (uint j = 0; j < LOADS_IN_FLIGHT; j++) {                    \
                uint index = row + j * team;                                \
                values[j] = index < end                                     \
                    ? LOAD(a, column + index * row_stride) : START;         \
            }                                                               \
            for (uint j = 0; j < LOADS_IN_FLIGHT; j++) {                    \
                ACC y = values[j];                                          \
                x = STEP;                                                   \
            }                                                               \
        }                                                                   \
        tree[item] = x;                                                     \
        barrier(CLK_LOCAL_MEM_FENCE);                                       \
                                                                            \
        for (uint stride = team / 2; stride > 0; stride /= 2) {             \
            if (v < stride) {                                               \
                ACC x = tree[item];                                         \
                ACC y = tree[item + stride * group_columns];                \
                tree[item] = JOIN;                                          \
            }                                                               \
            barrier(CLK_LOCAL_MEM_FENCE);                                   \
        }                                                                   \
        if (v == 0 && i < width)                                            \
            STORE(out, i, tree[item]);                                      \
    }

ROWS(reduce_rows_sum, 0.0f, add(x, y, &excess), x + y)
ROWS(reduce_rows_max, -INFINITY, larger(x, y), larger(x, y))

COLUMNS(reduce_columns_sum, 0.0f, add(x, y, &excess), x + y)
COLUMNS(reduce_columns_max, -INFINITY, larger(x, y), larger(y, x))

SHORT_COLUMNS(reduce_short_sum, 0.0f, add(x, y, &excess), x + y)
SHORT_COLUMNS(reduce_short_max, -INFINITY, larger(x, y), larger(x, y))

// Column sums of several matrices in one launch, such as the last operations
// of a training step: each a (height, width), dense, -> out (width). A group
// has columns of one matrix. In matrices of at most `low` rows each item has a
// column; in taller ones a group has eight columns, and 32 items share each.
#define TEAM 32

#define MATRIX(p)                                                           \
    , global const T *a##p, uint width##p, uint height##p, global OUT *out##p
// Each matrix has its own range of groups, after the previous range.
#define CHOOSE(p)                                                           \
    if (!is_found) {                                                        \
        group_columns = height##p > low ? GROUP / TEAM : GROUP;             \
        uint groups = width##p / group_columns                              \
            + (width##p % group_columns != 0);                              \
        is_found = group < groups;                                          \
        group -= is_found ? 0 : groups;                                     \
        a = a##p;                                                           \
        out = out##p;                                                       \
        width = width##p;                                                   \
        height = is_found ? height##p : 0;                                  \
    }

#define SUMS(NAME, REPEAT)                                                  \
    kernel void NAME(uint low REPEAT(MATRIX))                               \
    {                                                                       \
        local ACC tree[GROUP];                                              \
        uint item = get_local_id(0), group = get_group_id(0);               \
        uint group_columns = GROUP, width = 0, height = 0;                  \
        bool is_found = false;                                              \
        global const T *a = a0;                                             \
        global OUT *out = out0;                                             \
        REPEAT(CHOOSE)                                                      \
        uint team = GROUP / group_columns, v = item / group_columns;        \
        uint column = group * group_columns + item % group_columns;         \
        bool has_column = is_found && column < width;                       \
        uint end = has_column ? height : 0;                                 \
        ACC x = 0.0f, excess = 0.0f;                                        \
        for (uint row = v; row < end; row += LOADS_IN_FLIGHT * team) {      \
            ACC values[LOADS_IN_FLIGHT];                                    \
            for (uint j = 0; j < LOADS_IN_FLIGHT; j++) {                    \
                uint index = row + j * team;                                \
                values[j] = index < end                                     \
                    ? LOAD(a, index * width + column) : 0.0f;               \
            }                                                               \
            for (uint j = 0; j < LOADS_IN_FLIGHT; j++)                      \
                x = add(x, values[j], &excess);                             \
        }                                                                   \
        tree[item] = x;                                                     \
        barrier(CLK_LOCAL_MEM_FENCE);                                       \
        for (uint stride = team / 2; stride > 0; stride /= 2) {             \
            if (v < stride)                                                 \
                tree[item] += tree[item + stride * group_columns];          \
            barrier(CLK_LOCAL_MEM_FENCE);                                   \
        }                                                                   \
        if (v == 0 && has_column)                                           \
            STORE(out, column, tree[item]);                                 \
    }

SUMS(reduce_sums_2, OF_2)
SUMS(reduce_sums_4, OF_4)
SUMS(reduce_sums_8, OF_8)
SUMS(reduce_sums_16, OF_16)
SUMS(reduce_sums_32, OF_32)

// Rows of few elements with any strides: a view of eight axes, of which the
// first four are kept and the last four are reduced. One item per row.
#define AXIS(d)                                                             \
    if (shape.s##d > 1) {                                                   \
        uint quotient = rest / (uint)shape.s##d;                            \
        int index = rest - quotient * (uint)shape.s##d;                     \
        from += index * strides.s##d;                                       \
        to += index * outs.s##d;                                            \
        rest = quotient;                                                    \
    }
// The offsets of row i in the view and in a result of the same shape.
#define ROW_OFFSETS(i)                                                      \
    uint rest = i;                                                          \
    int from = offset, to = 0;                                              \
    AXIS(3) AXIS(2) AXIS(1) AXIS(0)
#define FOR_EACH_ELEMENT                                                    \
    for (int p = 0; p < shape.s4; p++)                                      \
        for (int q = 0; q < shape.s5; q++)                                  \
            for (int r = 0; r < shape.s6; r++)                              \
                for (int s = 0; s < shape.s7; s++)
#define ELEMENT_OFFSET(steps)                                               \
    (p * steps.s4 + q * steps.s5 + r * steps.s6 + s * steps.s7)
#define SHORT_ROWS(NAME, START, STEP)                                       \
    kernel void NAME(global const T *a, uint offset, int8 shape,            \
                     int8 strides, global OUT *out, uint n)                 \
    {                                                                       \
        uint i = get_global_id(0);                                          \
        if (i >= n)                                                         \
            return;                                                         \
        int8 outs = 0;                                                      \
        ROW_OFFSETS(i)                                                      \
        ACC x = START, excess = 0.0f;                                       \
        FOR_EACH_ELEMENT {                                                  \
            ACC y = LOAD(a, from + ELEMENT_OFFSET(strides));                \
            x = STEP;                                                       \
        }                                                                   \
        STORE(out, i, x);                                                   \
    }

SHORT_ROWS(reduce_few_sum, 0.0f, add(x, y, &excess))
SHORT_ROWS(reduce_few_max, -INFINITY, larger(x, y))

// Backward pass of the maximum: splits the gradient of each row equally among
// the elements that equal the maximum; a NaN equals a NaN. most, grads (n):
// one for each row. outs: the strides of out, which is dense and has this
// shape with its axes in some order.
kernel void reduce_few_share(global const T *a, uint offset, int8 shape,
                             int8 strides, global const T *most,
                             uint most_offset, global const T *grads,
                             uint grads_offset, global OUT *out, int8 outs,
                             uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    ROW_OFFSETS(i)
    ACC row_max = LOAD(most, most_offset + i), count = 0.0f;
    FOR_EACH_ELEMENT {
        ACC x = LOAD(a, from + ELEMENT_OFFSET(strides));
        count += x == row_max || isnan(x);
    }
    ACC grad = LOAD(grads, grads_offset + i) / count;
    FOR_EACH_ELEMENT {
        ACC x = LOAD(a, from + ELEMENT_OFFSET(strides));
        STORE(out, to + ELEMENT_OFFSET(outs),
              x == row_max || isnan(x) ? grad : 0.0f);
    }
}
