// The sum of a (n), added to total, a single value that must start at 0.
//
// One launch is enough: each group adds its sum to the total atomically. The
// order of the groups differs between runs, and so do the last digits.

#define GROUP 256

// ANCHOR: add
// OpenCL 1.2 has no atomic addition of floats. It has compare-and-exchange for
// 32 bits: store the new value only if the old one is still there. If another
// item was faster, retry with the value that it stored.
void add(volatile global float *total, float value)
{
    volatile global uint *bits = (volatile global uint *)total;
    uint current = atomic_or(bits, 0), expected;
    do {
        expected = current;
        uint updated = as_uint(as_float(expected) + value);
        current = atomic_cmpxchg(bits, expected, updated);
    } while (current != expected);
}
// ANCHOR_END: add

__attribute__((reqd_work_group_size(GROUP, 1, 1)))
kernel void reduce_atomic(global const float *a, volatile global float *total,
                          uint n)
{
    local float tree[GROUP];
    uint item = get_local_id(0);

    float sum = 0.0f;
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
        add(total, tree[0]);
}
