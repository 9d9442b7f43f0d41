uint step = get_global_size(0);
TYPE sums[LOADS], loads[LOADS];
#pragma unroll
for (uint j = 0; j < LOADS; j++)
    sums[j] = (TYPE)(0.0f);
for (uint i = get_global_id(0); i < n / WIDE; i += LOADS * step) {
    #pragma unroll
    for (uint j = 0; j < LOADS; j++)
        loads[j] = a[i + j * step];
    #pragma unroll
    for (uint j = 0; j < LOADS; j++)
        sums[j] += loads[j];
}
