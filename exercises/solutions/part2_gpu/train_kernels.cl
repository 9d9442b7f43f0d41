// train_kernels: a network that learns with your kernels.
//
// WHAT   Write one or more of these kernels below. Ours are used for the
//        others.
//
//        kernel void matmul(global const float *a, global const float *b,
//                           global float *out, uint m, uint k, uint n)
//          (m, k) x (k, n). A grid of n columns and m rows, in groups of
//          16 x 16: dimension 0 is the column, dimension 1 the row.
//        kernel void add_row(global const float *a, global const float *row,
//                            global float *out, uint columns, uint n)
//          A matrix and a row; out has n elements, computed by n items.
//        kernel void relu(global const float *a, global float *out, uint n)
//        kernel void relu_backward(global const float *grad_out,
//                                  global const float *a,
//                                  global float *grad_a, uint n)
//        kernel void log_softmax(global const float *a, global float *out,
//                                uint rows, uint columns)
//          One item per row.
//
//        All groups are whole, and the spare items have nothing to do.
// WHY    The loss does not depend on the author of the kernels. If yours are
//        right, the network learns to read; if they are slightly wrong, it
//        does not.
// READ   Train on your kernels
// CHECK  cargo learn check train_kernels

// HOLE
//| // OpenCL C has fmax(a, b), exp(x) and log(x).
//| /* TODO(train_kernels): one of the five kernels, or more */
kernel void matmul(global const float *a, global const float *b,
                   global float *out, uint m, uint k, uint n)
{
    uint column = get_global_id(0), row = get_global_id(1);
    if (row >= m || column >= n)
        return;
    float sum = 0.0f;
    for (uint i = 0; i < k; i++)
        sum += a[row * k + i] * b[i * n + column];
    out[row * n + column] = sum;
}

kernel void add_row(global const float *a, global const float *row,
                    global float *out, uint columns, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i] + row[i % columns];
}

kernel void relu(global const float *a, global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        out[i] = a[i] <= 0.0f ? 0.0f : a[i];
}

kernel void relu_backward(global const float *grad_out,
                          global const float *a, global float *grad_a,
                          uint n)
{
    uint i = get_global_id(0);
    if (i < n)
        grad_a[i] = a[i] <= 0.0f ? 0.0f : grad_out[i];
}

kernel void log_softmax(global const float *a, global float *out,
                        uint rows, uint columns)
{
    uint row = get_global_id(0);
    if (row >= rows)
        return;
    a += row * columns;
    out += row * columns;
    float most = a[0];
    for (uint i = 1; i < columns; i++)
        most = fmax(most, a[i]);
    float total = 0.0f;
    for (uint i = 0; i < columns; i++)
        total += exp(a[i] - most);
    for (uint i = 0; i < columns; i++)
        out[i] = a[i] - most - log(total);
}
// END HOLE
