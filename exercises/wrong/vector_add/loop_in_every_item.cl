// Every item adds all pairs, as a function would.

kernel void vector_add(global const float *a, global const float *b,
                       global float *out, uint n)
{
    for (uint i = 0; i < n; i++)
        out[i] = a[i] + b[i];
}
