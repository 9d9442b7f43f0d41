for (uint width = 1; width < GROUP; width *= 2) {
    uint index = 2 * width * item;
    if (index < GROUP)
        tree[index] += tree[index + width];
    barrier(CLK_LOCAL_MEM_FENCE);
}
