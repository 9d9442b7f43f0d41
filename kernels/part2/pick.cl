// Selects from each row the element that its label names: a (rows, classes),
// labels (rows) -> out (rows).

kernel void pick_labels(global const float *a, global const uint *labels,
                        global float *out, uint classes, uint rows)
{
    uint row = get_global_id(0);
    if (row < rows && labels[row] < classes)
        out[row] = a[row * classes + labels[row]];
}

// Backward pass: grad_out (rows), labels (rows) -> grad_a (n), which has a row
// of classes for each label. Elements that were not selected get 0.
kernel void pick_backward(global const float *grad_out,
                          global const uint *labels, global float *grad_a,
                          uint classes, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint row = i / classes;
    grad_a[i] = i % classes == labels[row] ? grad_out[row] : 0.0f;
}
