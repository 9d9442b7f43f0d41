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
