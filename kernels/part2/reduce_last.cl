// The sum of a (n) -> total, by one launch: partials has a number for each
// group of 256 items, and finished is one number that begins as 0.
//
// Each group leaves its sum in partials and counts itself. The group that
// finds all others counted adds up the partial sums, in the order in which
// they stand there: whichever group it is, the bits are the same.

#define GROUP 256

// The sum of the group's 256 numbers, in the first cell of the tree.
void fold(local float *tree, uint item, float sum)
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
    local uint before;
    uint item = get_local_id(0), groups = get_num_groups(0);

    float sum = 0.0f;
    for (uint i = get_global_id(0); i < n; i += get_global_size(0))
        sum += a[i];
    fold(tree, item, sum);

    // ANCHOR: last
    // What other groups shall see goes by atomic steps, which no cache keeps
    // to itself. The fence asks that the sum be there before the count, and
    // the second flag of the barrier that the others' sums be read after it.
    volatile global uint *bits = (volatile global uint *)partials;
    if (item == 0) {
        atomic_xchg(&bits[get_group_id(0)], as_uint(tree[0]));
        mem_fence(CLK_GLOBAL_MEM_FENCE);
        before = atomic_inc(finished);
    }
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);

    // All items of a group agree here, so all of them reach the barriers.
    if (before == groups - 1) {
        sum = 0.0f;
        for (uint i = item; i < groups; i += GROUP)
            sum += as_float(atomic_or(&bits[i], 0));
        fold(tree, item, sum);
        if (item == 0) {
            total[0] = tree[0];
            atomic_xchg(finished, 0);
        }
    }
    // ANCHOR_END: last
}
