// The number along the second axis, of which every item is number 0.

kernel void vector_add(global const float *a, global const float *b,
                       global float *out, uint n)
{
    uint i = get_global_id(1);
    if (i < n) {
        out[i] = a[i] + b[i];
    }
}
