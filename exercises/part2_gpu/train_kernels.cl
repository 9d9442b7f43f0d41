// train_kernels: a network that learns by your kernels.
//
// WHAT   Write one of these kernels below, or two, or all five. Those that
//        you leave out are ours.
//
//        kernel void matmul(global const float *a, global const float *b,
//                           global float *out, uint m, uint k, uint n)
//          (m, k) x (k, n). A grid of n columns and m rows, in groups of
//          16 x 16: dimension 0 is the column, dimension 1 the row.
//        kernel void add_row(global const float *a, global const float *row,
//                            global float *out, uint columns, uint n)
//          A matrix and a row; out has n elements, and so many items run.
//        kernel void relu(global const float *a, global float *out, uint n)
//        kernel void relu_backward(global const float *grad_out,
//                                  global const float *a,
//                                  global float *grad_a, uint n)
//        kernel void log_softmax(global const float *a, global float *out,
//                                uint rows, uint columns)
//          An item for each row.
//
//        All groups are whole, and the spare items have nothing to do.
// WHY    The loss does not care who computes it. A kernel of yours that is
//        right makes the network read; one that is nearly right does not.
// READ   Train on your kernels
// CHECK  cargo learn check train_kernels

// OpenCL C has fmax(a, b), exp(x) and log(x).
/* TODO(train_kernels): one of the five kernels, or more */
