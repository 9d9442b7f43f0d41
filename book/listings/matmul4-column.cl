for (uint d = 0; d < DEPTH; d++) {
    float b_value = b_tile[d][x];
    // Registers have no addresses: the compiler can keep the sums in
    // registers only if it knows each index.
    #pragma unroll
    for (uint i = 0; i < COLUMN; i++)
        sum[i] += a_tile[y * COLUMN + i][d] * b_value;
}
