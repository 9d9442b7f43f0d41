// The exponential: a (n) -> out (n). Named `exp`, this kernel would compile
// and then not exist: OpenCL C has a function of that name.

kernel void ew_exp(global const float *a, global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = exp(a[i]);
}
