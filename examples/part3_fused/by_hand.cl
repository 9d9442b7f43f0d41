kernel void bias_relu(
    global const float *x,     // (rows, columns)
    global const float *bias,  // (columns)
    global float *out,
    uint columns,
    uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    float sum = x[i] + bias[i % columns];
    out[i] = sum <= 0.0f ? 0.0f : sum;
}
