// The numbers are written where they were read.

kernel void map_one(global float *a, global float *out)
{
    uint i = get_global_id(0);
    out[i] = a[i];
    a[i] = 10.0f * a[i];
}
