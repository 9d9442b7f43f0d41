// Elementwise quotient: a (n) / b (n) -> out (n). OpenCL allows `/` an error
// of 2.5 units in the last place. If the device supports correctly rounded
// division, the host asks for it when it compiles.

kernel void ew_div(global const float *a, global const float *b,
                   global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i] / b[i];
}
