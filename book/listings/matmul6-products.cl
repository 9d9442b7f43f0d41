#pragma unroll
for (uint d = 0; d < DEPTH; d++) {
    float4 a_block[TALL], b_block[WIDE];
    #pragma unroll
    for (uint i = 0; i < TALL; i++)
        a_block[i] = a_tile[d][y + i * DOWN];
    #pragma unroll
    for (uint j = 0; j < WIDE; j++)
        b_block[j] = b_tile[d][x + j * ACROSS];
    const float *a_values = (const float *)a_block;
    #pragma unroll
    for (uint i = 0; i < TALL * 4; i++)
        #pragma unroll
        for (uint j = 0; j < WIDE; j++)
            sum[i][j] += a_values[i] * b_block[j];
}
