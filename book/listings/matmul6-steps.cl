for (uint start = 0; start < k; start += DEPTH) {
    fetch(a_share, a, m, k, top + a_y, start + a_x, TILE / SHARE, aligned);
    fetch(b_share, b, k, n, start + b_y, left + b_x * 4, DEPTH / SHARE,
          aligned);
    #pragma unroll
    for (uint i = 0; i < SHARE; i++) {
        local float *column = (local float *)a_tile[a_x];
        column += a_y + i * (TILE / SHARE);
        column[0] = a_share[i].x;
        column[ROW * 4] = a_share[i].y;
        column[ROW * 8] = a_share[i].z;
        column[ROW * 12] = a_share[i].w;
        b_tile[b_y + i * (DEPTH / SHARE)][b_x] = b_share[i];
    }
    barrier(CLK_LOCAL_MEM_FENCE);
