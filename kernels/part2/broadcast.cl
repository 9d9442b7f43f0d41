// Elementwise operations with broadcasting: a, b -> out (n). Broadcasting
// copies nothing: several work-items read the same element.
//
// `shape` is the shape of out, padded with leading axes of size 1 to eight
// axes. Each operand has a stride per axis: the distance between neighboring
// elements along that axis, or 0 where the operand is broadcast.

// ANCHOR: broadcast
// Returns the offset in an operand of the element for out[i]: i is split into
// an index per axis, beginning with the last axis, and each index is
// multiplied by the operand's stride.
uint offset(uint i, int8 shape, int8 strides)
{
    int sizes[8], steps[8];
    vstore8(shape, 0, sizes);
    vstore8(strides, 0, steps);
    int rest = i, sum = 0;
    for (int axis = 7; axis >= 0; axis--) {
        sum += rest % sizes[axis] * steps[axis];
        rest /= sizes[axis];
    }
    return sum;
}

kernel void broadcast_mul(global const float *a, int8 a_strides,
                          global const float *b, int8 b_strides,
                          global float *out, int8 shape, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[offset(i, shape, a_strides)] *
                 b[offset(i, shape, b_strides)];
}
// ANCHOR_END: broadcast

kernel void broadcast_add(global const float *a, int8 a_strides,
                          global const float *b, int8 b_strides,
                          global float *out, int8 shape, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[offset(i, shape, a_strides)] +
                 b[offset(i, shape, b_strides)];
}

kernel void broadcast_div(global const float *a, int8 a_strides,
                          global const float *b, int8 b_strides,
                          global float *out, int8 shape, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[offset(i, shape, a_strides)] /
                 b[offset(i, shape, b_strides)];
}
