// Elementwise quotient: a (n) / b (n) -> out (n). OpenCL lets `/` err by 2.5
// units in the last place; where a device can round it right, the host asks
// for that when it compiles.

kernel void ew_div(global const float *a, global const float *b,
                   global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i] / b[i];
}
