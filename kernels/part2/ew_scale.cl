// Multiplies each element by a scalar: a (n) -> out (n).

kernel void ew_scale(global const float *a, global float *out, float factor,
                     uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i] * factor;
}
