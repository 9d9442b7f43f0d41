// Copies the elements of one view to the offsets of another view of the same
// shape (n elements). One work-item per element. This is the only plain kernel
// that knows strides; the others read and write dense arrays.
//
// A view has eight axes; missing axes are leading ones of size 1.

// ANCHOR: copy
// Returns the offset of element i of a view. The index i is split into one
// index per axis, beginning with the last axis, and each of them is multiplied
// by the stride of its axis.
int offset_of(uint i, int8 shape, uint offset, int8 strides)
{
    int sizes[8], steps[8];
    vstore8(shape, 0, sizes);
    vstore8(strides, 0, steps);
    int rest = i, at = offset;
    for (int axis = 7; axis >= 0; axis--) {
        at += rest % sizes[axis] * steps[axis];
        rest /= sizes[axis];
    }
    return at;
}

kernel void plain_copy(int8 shape, uint n,
                       global const float *a, uint a_offset, int8 a_strides,
                       global float *out, uint out_offset, int8 out_strides)
{
    uint i = get_global_id(0);
    if (i < n) {
        int from = offset_of(i, shape, a_offset, a_strides);
        int to = offset_of(i, shape, out_offset, out_strides);
        out[to] = a[from];
    }
}
// ANCHOR_END: copy
