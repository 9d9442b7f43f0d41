// Selects from a where the mask is not 0, and from b where it is: mask (n), a
// (n), b (n) -> out (n), each dense, beginning at its offset.

kernel void where_cond(global const T *mask, uint mask_offset,
                            global const T *a, uint a_offset,
                            global const T *b, uint b_offset,
                            global OUT *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        STORE(out, i, LOAD(mask, mask_offset + i) != 0.0f
            ? LOAD(a, a_offset + i) : LOAD(b, b_offset + i));
}
