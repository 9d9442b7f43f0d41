// Copies between a strided view of up to eight axes and contiguous elements. A
// view of fewer axes is padded with leading axes of size 1.

// Returns the offset of element i of a view: i is split into an index per
// axis, beginning with the last axis, and each index is multiplied by the
// stride of its axis. An axis of size 1 costs no division.
#define AXIS(d)                                                             \
    if (shape.s##d > 1) {                                                   \
        uint quotient = rest / (uint)shape.s##d;                            \
        result += (int)(rest - quotient * (uint)shape.s##d) * strides.s##d; \
        rest = quotient;                                                    \
    }
int view_offset(uint i, uint offset, int8 shape, int8 strides)
{
    uint rest = i;
    int result = offset;
    AXIS(7) AXIS(6) AXIS(5) AXIS(4) AXIS(3) AXIS(2) AXIS(1) AXIS(0)
    return result;
}

// Copies the elements of a view of a to a dense array -> out (n).
kernel void copy_strided(global const T *a, uint offset, int8 shape,
                         int8 strides, global OUT *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        STORE(out, i, LOAD(a, view_offset(i, offset, shape, strides)));
}

// The inverse: a (n), dense, beginning at an offset -> the elements of a view
// of out.
kernel void copy_to_strided(global const T *a, uint a_offset,
                       global OUT *out, uint offset, int8 shape,
                       int8 strides, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        STORE(out, view_offset(i, offset, shape, strides),
              LOAD(a, a_offset + i));
}

// The inverse for a view of more than eight axes. The host computes places
// (n): for each element of out its index in the view. An element that is not
// in the view has an index of at least `given`, the number of elements of a,
// and is left unchanged.
kernel void copy_indexed(global const T *a, uint a_offset, uint given,
                        global const uint *places, global OUT *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n && places[i] < given)
        STORE(out, i, LOAD(a, a_offset + places[i]));
}

// Copies a view whose contiguous axis is not the last one: x is the last axis,
// y the one before it, and y has stride 1. A group copies tiles through local
// memory, filled along y and read along x, so that reads and writes are both
// coalesced.
//
// outs: the strides in out (dense), where x has stride 1.
#define SIDE 32
#define DOWN 8
#define OUTER(d)                                                            \
    if (shape.s##d > 1) {                                                   \
        uint quotient = rest / (uint)shape.s##d;                            \
        int index = rest - quotient * (uint)shape.s##d;                     \
        from += index * strides.s##d;                                       \
        to += index * outs.s##d;                                            \
        rest = quotient;                                                    \
    }
__attribute__((reqd_work_group_size(SIDE, DOWN, 1)))
kernel void copy_tiled(global const T *a, uint offset, int8 shape,
                       int8 strides, global OUT *out, int8 outs)
{
    local ACC tile[SIDE][SIDE + 1];
    int u = get_local_id(0), v = get_local_id(1);
    uint across = (shape.s7 - 1) / SIDE + 1, down = (shape.s6 - 1) / SIDE + 1;
    uint tiles = across * down * shape.s5 * shape.s4 * shape.s3 * shape.s2
                 * shape.s1 * shape.s0;
    for (uint group = get_group_id(0); group < tiles;
         group += get_num_groups(0)) {
        int left = group % across * SIDE, top = group / across % down * SIDE;
        uint rest = group / across / down;
        int from = offset, to = 0;
        OUTER(5) OUTER(4) OUTER(3) OUTER(2) OUTER(1) OUTER(0)
        for (int i = v; i < SIDE; i += DOWN)
            if (left + i < shape.s7 && top + u < shape.s6)
                tile[i][u] = LOAD(a, from + (left + i) * strides.s7 + top + u);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int i = v; i < SIDE; i += DOWN)
            if (left + u < shape.s7 && top + i < shape.s6)
                STORE(out, to + left + u + (top + i) * outs.s6, tile[u][i]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
