// vector_add, again: one element per work-item.
//
// WHAT   Write the body: `out` is `a` plus @times@ times `b`, for all `n`
//        elements, however many work-items are launched.
// READ   Hello OpenCL
// CHECK  cargo learn again vector_add

kernel void vector_add(global const float *a, global const float *b,
                       global float *out, uint n)
{
    // HOLE
    //| /* TODO(vector_add): the item's index, and whether it has an element */
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i] + @times@.0f * b[i];
    // END HOLE
}
