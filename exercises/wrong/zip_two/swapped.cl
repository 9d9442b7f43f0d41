// The other way around.

kernel void zip_two(global const float *a, global const float *b,
                    global float *out)
{
    uint i = get_global_id(0);
    out[i] = b[i] - a[i];
}
