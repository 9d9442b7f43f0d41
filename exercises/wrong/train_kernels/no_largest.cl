// The formula as it stands in the book of mathematics. The exponential of a
// large score is infinite.

kernel void log_softmax(global const float *a, global float *out,
                        uint rows, uint columns)
{
    uint row = get_global_id(0);
    if (row >= rows)
        return;
    a += row * columns;
    out += row * columns;
    float total = 0.0f;
    for (uint i = 0; i < columns; i++)
        total += exp(a[i]);
    for (uint i = 0; i < columns; i++)
        out[i] = a[i] - log(total);
}
