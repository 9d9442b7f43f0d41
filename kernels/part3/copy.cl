// The elements of a strided view, one after another: a view of up to eight
// axes -> out (n). The axes that a view lacks have size 1 and stand first.

kernel void copy_strided(global const float *a, uint offset, int8 shape,
                         int8 strides, global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    int sizes[8];
    int steps[8];
    vstore8(shape, 0, sizes);
    vstore8(strides, 0, steps);
    // The index along each axis, the last axis first.
    int rest = i;
    int at = offset;
    for (int axis = 7; axis >= 0; axis--) {
        at += rest % sizes[axis] * steps[axis];
        rest /= sizes[axis];
    }
    out[i] = a[at];
}
