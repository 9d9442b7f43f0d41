// vector_add, again: a work-item for each element.
//
// WHAT   Write the body: `out` is `a` plus @times@ times `b`, for the `n` elements
//        that there are, whatever the number of work-items.
// READ   Hello OpenCL
// CHECK  cargo learn again vector_add

kernel void vector_add(global const float *a, global const float *b,
                       global float *out, uint n)
{
    // HOLE
    //| /* TODO(vector_add): which item is this, and has it an element? */
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i] + @times@.0f * b[i];
    // END HOLE
}
