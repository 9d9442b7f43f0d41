// Between a strided view of up to eight axes and elements in a row. The axes
// that a view lacks have size 1 and stand first.

// ANCHOR: copy-strided
// Where element i of a view lies: its index along each axis, the last axis
// first, times the stride there.
int place(uint i, uint offset, int8 shape, int8 strides)
{
    int sizes[8];
    int steps[8];
    vstore8(shape, 0, sizes);
    vstore8(strides, 0, steps);
    int rest = i;
    int at = offset;
    for (int axis = 7; axis >= 0; axis--) {
        at += rest % sizes[axis] * steps[axis];
        rest /= sizes[axis];
    }
    return at;
}

// The elements of a view of a, one after another -> out (n).
kernel void copy_strided(global const T *a, uint offset, int8 shape,
                         int8 strides, global T *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[place(i, offset, shape, strides)];
}
// ANCHOR_END: copy-strided

// The mirror: a (n), dense from an offset on -> the places of a view of out.
kernel void copy_paste(global const T *a, uint a_offset,
                       global T *out, uint offset, int8 shape,
                       int8 strides, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[place(i, offset, shape, strides)] = a[a_offset + i];
}

// The mirror for a view of more axes. Where an element of out (n) stands in
// that view was counted on the host: places (n), and what is not in the view
// has no place among the elements of a (given), and stays.
kernel void copy_places(global const T *a, uint a_offset, uint given,
                        global const uint *places, global T *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n && places[i] < given)
        out[i] = a[a_offset + places[i]];
}
