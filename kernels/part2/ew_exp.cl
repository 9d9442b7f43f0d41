// The exponential: a (n) -> out (n). The kernel is not named `exp` because
// OpenCL C has a function of that name: the program would compile, but the
// kernel could not be found in it.

kernel void ew_exp(global const float *a, global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = exp(a[i]);
}
