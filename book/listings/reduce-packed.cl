for (uint width = 1; width < GROUP; width *= 2) {
    uint at = 2 * width * item;
    if (at < GROUP)
        tree[at] += tree[at + width];
    barrier(CLK_LOCAL_MEM_FENCE);
}
