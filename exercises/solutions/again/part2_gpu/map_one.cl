// map_one, again: one element per work-item.
//
// WHAT   For each element of `a`, write @factor@ times the element minus
//        @less@ to the same index of `out`.
// READ   Hello OpenCL
// CHECK  cargo learn again map_one

kernel void map_one(global const float *a, global float *out)
{
    // HOLE
    //| /* TODO(map_one): the item's index, and what it writes there */
    uint i = get_global_id(0);
    out[i] = @factor@.0f * a[i] - @less@.0f;
    // END HOLE
}
