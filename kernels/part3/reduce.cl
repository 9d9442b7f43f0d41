// Many elements into one. The order depends on the sizes alone, so the same
// input gives the same bits in every run.

#define GROUP 256

// Rows whose elements lie side by side: (rows, columns) -> (rows, parts),
// where a part is `segment` columns. One group of 256 items for each: an
// item joins every 256th element in a register, then a tree joins the 256
// results.
#define ROWS(NAME, START, JOIN)                                             \
    __attribute__((reqd_work_group_size(GROUP, 1, 1)))                      \
    kernel void NAME(global const float *a, uint offset, uint row_stride,   \
                     uint columns, uint segment, global float *out)         \
    {                                                                       \
        local float tree[GROUP];                                            \
        uint item = get_local_id(0);                                        \
        uint group = get_group_id(0);                                       \
        uint parts = (columns - 1) / segment + 1;                           \
        uint from = group % parts * segment;                                \
        uint to = from + min(segment, columns - from);                      \
        uint row = offset + group / parts * row_stride;                     \
        float x = START;                                                    \
        for (uint column = from + item; column < to; column += GROUP) {     \
            float y = a[row + column];                                      \
            x = JOIN;                                                       \
        }                                                                   \
        tree[item] = x;                                                     \
        barrier(CLK_LOCAL_MEM_FENCE);                                       \
                                                                            \
        for (uint width = GROUP / 2; width > 0; width /= 2) {               \
            if (item < width) {                                             \
                float x = tree[item];                                       \
                float y = tree[item + width];                               \
                tree[item] = JOIN;                                          \
            }                                                               \
            barrier(CLK_LOCAL_MEM_FENCE);                                   \
        }                                                                   \
                                                                            \
        if (item == 0)                                                      \
            out[group] = tree[0];                                           \
    }

// Columns of a matrix (height, width) -> (parts, width), where a part is
// `segment` rows. One item for each, so that neighbors read neighbors.
#define COLUMNS(NAME, START, JOIN)                                          \
    kernel void NAME(global const float *a, uint offset, uint row_stride,   \
                     uint width, uint height, uint segment,                 \
                     global float *out)                                     \
    {                                                                       \
        uint i = get_global_id(0);                                          \
        uint part = i / width;                                              \
        if (part > (height - 1) / segment)                                  \
            return;                                                         \
        uint from = part * segment;                                         \
        uint to = from + min(segment, height - from);                       \
        float x = START;                                                    \
        for (uint row = from; row < to; row++) {                            \
            float y = a[offset + row * row_stride + i % width];             \
            x = JOIN;                                                       \
        }                                                                   \
        out[i] = x;                                                         \
    }

ROWS(reduce_rows_sum, 0.0f, x + y)
ROWS(reduce_rows_max, -INFINITY, (y > x || isnan(y)) ? y : x)

COLUMNS(reduce_columns_sum, 0.0f, x + y)
COLUMNS(reduce_columns_max, -INFINITY, (y > x || isnan(y)) ? y : x)
