// The sum of a (n) -> total, in one launch. partials has one element per group
// of 256 items; finished is a counter that must start at 0.
//
// Each group stores its sum in partials and increments the counter. The group
// that increments it last adds the partial sums in index order, so the result
// has the same bits no matter which group it is.

#define GROUP 256

// Leaves the sum of the group's 256 values in the first element of the tree.
void tree_sum(local float *tree, uint item, float sum)
{
    tree[item] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint width = GROUP / 2; width > 0; width /= 2) {
        if (item < width)
            tree[item] += tree[item + width];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__attribute__((reqd_work_group_size(GROUP, 1, 1)))
kernel void reduce_last(global const float *a,
                        volatile global float *partials,
                        global float *total,
                        volatile global uint *finished, uint n)
{
    local float tree[GROUP];
    local uint finished_before;
    uint item = get_local_id(0), groups = get_num_groups(0);

    float sum = 0.0f;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        sum += a[i];
    tree_sum(tree, item, sum);

    // ANCHOR: last
    // Values for other groups are written and read by atomic operations, which
    // bypass the private caches. The fence orders the partial sum before the
    // increment. The global flag of the barrier orders the increment before
    // the reads of the other partial sums.
    volatile global uint *bits = (volatile global uint *)partials;
    if (item == 0) {
        atomic_xchg(&bits[get_group_id(0)], as_uint(tree[0]));
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        finished_before = atomic_inc(finished);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

    // The condition is the same for all items of a group, so all of them reach
    // the barriers inside.
    if (finished_before == groups - 1) {
        sum = 0.0f;
        for (uint i = item; i < groups; i += GROUP)
            sum += as_float(atomic_or(&bits[i], 0));
        tree_sum(tree, item, sum);
        if (item == 0) {
            total[0] = tree[0];
            atomic_xchg(finished, 0);
        }
    }
    // ANCHOR_END: last
}
