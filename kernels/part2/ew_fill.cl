// Sets every element to the same value: value -> out (n).

kernel void ew_fill(global float *out, float value, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = value;
}
