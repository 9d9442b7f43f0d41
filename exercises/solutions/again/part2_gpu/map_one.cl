// map_one, again: each item has one element.
//
// WHAT   Write @factor@ times each number of `a`, less @less@, to the same place of
//        `out`.
// READ   Hello OpenCL
// CHECK  cargo learn again map_one

kernel void map_one(global const float *a, global float *out)
{
    // HOLE
    //| /* TODO(map_one): which item is this, and what does it write where? */
    uint i = get_global_id(0);
    out[i] = @factor@.0f * a[i] - @less@.0f;
    // END HOLE
}
