// Elementwise over two shapes that stretch to one: a, b -> out (n). Nothing
// is copied to be stretched: many items read one element.
//
// `shape` is the shape of out with eight axes; those that it lacks stand first
// and have size 1. An operand has a stride for each axis: how far apart its
// elements lie along it, or 0 where it is stretched.

// ANCHOR: broadcast
// Where an operand has the element for element i of out: the index along each
// axis, the last axis first, times the stride there.
uint place(uint i, int8 shape, int8 strides)
{
    int sizes[8], steps[8];
    vstore8(shape, 0, sizes);
    vstore8(strides, 0, steps);
    int rest = i, at = 0;
    for (int axis = 7; axis >= 0; axis--) {
        at += rest % sizes[axis] * steps[axis];
        rest /= sizes[axis];
    }
    return at;
}

kernel void broadcast_mul(global const float *a, int8 a_strides,
                          global const float *b, int8 b_strides,
                          global float *out, int8 shape, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[place(i, shape, a_strides)] * b[place(i, shape, b_strides)];
}
// ANCHOR_END: broadcast

kernel void broadcast_add(global const float *a, int8 a_strides,
                          global const float *b, int8 b_strides,
                          global float *out, int8 shape, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[place(i, shape, a_strides)] + b[place(i, shape, b_strides)];
}

kernel void broadcast_div(global const float *a, int8 a_strides,
                          global const float *b, int8 b_strides,
                          global float *out, int8 shape, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[place(i, shape, a_strides)] / b[place(i, shape, b_strides)];
}
