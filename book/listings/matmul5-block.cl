for (uint d = 0; d < DEPTH; d++) {
    float a_values[BLOCK], b_values[BLOCK];
    #pragma unroll
    for (uint i = 0; i < BLOCK; i++) {
        a_values[i] = a_tile[y + i * SIDE][d];
        b_values[i] = b_tile[d][x + i * SIDE];
    }
    #pragma unroll
    for (uint i = 0; i < BLOCK; i++)
        #pragma unroll
        for (uint j = 0; j < BLOCK; j++)
            sum[i][j] += a_values[i] * b_values[j];
}
