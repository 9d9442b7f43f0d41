for (uint width = 1; width < GROUP; width *= 2) {
    if (item % (2 * width) == 0)
        tree[item] += tree[item + width];
    barrier(CLK_LOCAL_MEM_FENCE);
}
