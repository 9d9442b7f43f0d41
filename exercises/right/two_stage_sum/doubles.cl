// Sums in doubles, which round less.

#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define GROUP 256

kernel void partial_sums(global const float *a, global float *partials,
                         uint n)
{
    local double tree[GROUP];
    uint item = get_local_id(0);
    double sum = 0.0;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        sum += a[i];
    tree[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);

    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width)
            tree[item] += tree[item + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }

    if (item == 0)
        partials[get_group_id(0)] = (float)tree[0];
}
