for (uint start = 0; start < k; start += DEPTH) {
    fetch(a_loads, a, m, k, top + a_y, start + a_x, TILE / LOADS, aligned);
    fetch(b_loads, b, k, n, start + b_y, left + b_x * 4, DEPTH / LOADS,
          aligned);
    #pragma unroll
    for (uint i = 0; i < LOADS; i++) {
        local float *column = (local float *)a_tile[a_x];
        column += a_y + i * (TILE / LOADS);
        column[0] = a_loads[i].x;
        column[ROW * 4] = a_loads[i].y;
        column[ROW * 8] = a_loads[i].z;
        column[ROW * 12] = a_loads[i].w;
        b_tile[b_y + i * (DEPTH / LOADS)][b_x] = b_loads[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
