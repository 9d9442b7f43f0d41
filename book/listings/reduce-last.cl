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
