// Selects from a where the mask is not 0, and from b where it is: mask (n), a
// (n), b (n) -> out (n). One work-item per element.
kernel void plain_where_cond(global const float *mask, global const float *a,
                             global const float *b, global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = mask[i] != 0.0f ? a[i] : b[i];
}
