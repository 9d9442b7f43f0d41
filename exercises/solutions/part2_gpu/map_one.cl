// map_one: each item has one element.
//
// WHAT   Write ten times each number of `a` to the same place of `out`.
// WHY    A kernel is the body of a loop, and the device runs it once for each
//        item. There are as many items here as elements: none is to spare.
// READ   Hello OpenCL
// CHECK  cargo learn check map_one

kernel void map_one(global const float *a, global float *out)
{
    // HOLE
    //| /* TODO(map_one): which item is this, and what does it write where? */
    uint i = get_global_id(0);
    out[i] = 10.0f * a[i];
    // END HOLE
}
