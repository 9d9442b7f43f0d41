// Adds windows into images: a (images, rows, columns, height, width) -> out
// (images, h, w), n elements. Each image has a grid of rows x columns windows.
//
// One work-item per pixel of out. It collects the elements of the windows that
// contain its pixel, so no two items write to the same address.

// Returns how many windows fit along an axis of `image` pixels.
int windows_along(int image, int size, int stride, int dilation)
{
    return (image - (size - 1) * dilation - 1) / stride + 1;
}

// Along one axis, returns the window whose element number `element` is at
// `pixel`, or -1 if there is none. Window i begins at pixel i * stride, and its
// elements are `dilation` pixels apart.
int window_at(int pixel, int element, int stride, int dilation, int windows)
{
    int start = pixel - element * dilation;
    if (start < 0 || start % stride != 0 || start / stride >= windows)
        return -1;
    return start / stride;
}

// sizes: h, w, height, width, vertical and horizontal stride, vertical and
// horizontal dilation.
kernel void plain_fold(global const float *a, int8 sizes, global float *out,
                       uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    int h = sizes.s0, w = sizes.s1, height = sizes.s2, width = sizes.s3;
    int2 stride = sizes.s45, dilation = sizes.s67;
    int rows = windows_along(h, height, stride.x, dilation.x);
    int columns = windows_along(w, width, stride.y, dilation.y);
    int x = i % w, y = i / w % h, image = i / w / h;
    float sum = 0.0f;
    for (int v = 0; v < height; v++) {
        int row = window_at(y, v, stride.x, dilation.x, rows);
        if (row < 0)
            continue;
        for (int u = 0; u < width; u++) {
            int column = window_at(x, u, stride.y, dilation.y, columns);
            if (column < 0)
                continue;
            int window = (image * rows + row) * columns + column;
            sum += a[(window * height + v) * width + u];
        }
    }
    out[i] = sum;
}
