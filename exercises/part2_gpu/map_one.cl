// map_one: one element per work-item.
//
// WHAT   For each element of `a`, write ten times the element to the same
//        index of `out`.
// WHY    A kernel is the body of a loop, and the device runs it once per item.
//        Here there are exactly as many items as elements.
// READ   Hello OpenCL
// CHECK  cargo learn check map_one

kernel void map_one(global const float *a, global float *out)
{
    /* TODO(map_one): the item's index, and what it writes there */
}
