// The largest score is looked for from 0 on.

kernel void log_softmax(global const float *a, global float *out,
                        uint rows, uint columns)
{
    uint row = get_global_id(0);
    if (row >= rows)
        return;
    a += row * columns;
    out += row * columns;
    float most = 0.0f;
    for (uint i = 0; i < columns; i++)
        most = fmax(most, a[i]);
    float total = 0.0f;
    for (uint i = 0; i < columns; i++)
        total += exp(a[i] - most);
    for (uint i = 0; i < columns; i++)
        out[i] = a[i] - most - log(total);
}
