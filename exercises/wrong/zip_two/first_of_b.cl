// A star takes the first of an array.

kernel void zip_two(global const float *a, global const float *b,
                    global float *out)
{
    uint i = get_global_id(0);
    out[i] = a[i] - *b;
}
