// Right numbers, and 255 of 256 items look on; the array has another name.

#define GROUP 256

kernel void partial_sums(global const float *a, global float *partials,
                         uint n)
{
    local float sums[GROUP];
    uint item = get_local_id(0);
    float sum = 0.0f;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        sum += a[i];
    sums[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    if (item == 0) {
        float all = 0.0f;
        for (uint i = 0; i < GROUP; i++)
            all += sums[i];
        partials[get_group_id(0)] = all;
    }
}
