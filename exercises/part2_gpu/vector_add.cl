// vector_add: a work-item for each element.
//
// WHAT   Write the body. A work-item asks for its number, looks whether there
//        is an element of that number, and adds this one pair.
// WHY    There is no loop: the device runs the kernel once for each
//        work-item. It runs whole groups of 256, and sometimes far more of
//        them than the arrays need, so `n` alone says where they end.
// READ   Hello OpenCL
// CHECK  cargo learn check vector_add

kernel void vector_add(global const float *a, global const float *b,
                       global float *out, uint n)
{
    /* TODO(vector_add): which item is this, and has it an element? */
}
