// The number in the group, which each group counts from 0.

kernel void map_one(global const float *a, global float *out)
{
    uint i = get_local_id(0);
    out[i] = 10.0f * a[i];
}
