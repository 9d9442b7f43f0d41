// Counted from 1, as in other languages.

kernel void vector_add(global const float *a, global const float *b,
                       global float *out, uint n)
{
    uint i = get_global_id(0) + 1;
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
