// vector_add: one element per work-item.
//
// WHAT   Write the body. A work-item gets its index, checks whether there is
//        an element with that index, and adds this one pair.
// WHY    There is no loop: the device runs the kernel once per work-item. It
//        launches whole groups of 256, and sometimes far more than the arrays
//        need, so only `n` says where the arrays end.
// READ   Hello OpenCL
// CHECK  cargo learn check vector_add

kernel void vector_add(global const float *a, global const float *b,
                       global float *out, uint n)
{
    // HOLE
    //| /* TODO(vector_add): the item's index, and whether it has an element */
    uint i = get_global_id(0);
    if (i < n) {
        out[i] = a[i] + b[i];
    }
    // END HOLE
}
