#pragma unroll
for (uint i = 0; i < TALL * 4; i++)
    #pragma unroll
    for (uint j = 0; j < WIDE; j++) {
        uint row = top + (y + i / 4 * DOWN) * 4 + i % 4;
        uint column = left + (x + j * ACROSS) * 4;
        put(sum[i][j], out, m, n, row, column, aligned);
    }
