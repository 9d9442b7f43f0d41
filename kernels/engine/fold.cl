// Adds windows to images, the inverse of cutting images into windows: a
// (count, rows, columns, height, width), through its strides -> out (count, h,
// w). There is one item per pixel of an image. It collects the elements of the
// windows that contain the pixel, so no two items write to the same address.
//
// sizes: h and w of the image, height and width of a window, its vertical and
// horizontal stride, and its vertical and horizontal dilation. The sum is
// compensated: the rounding error of each addition is carried into the next.
kernel void fold_windows(global const T *a, uint offset, int8 strides,
                         int8 sizes, global OUT *out, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint h = sizes.s0, w = sizes.s1;
    int rows = (sizes.s0 - (sizes.s2 - 1) * sizes.s6 - 1) / sizes.s4 + 1;
    int columns = (sizes.s1 - (sizes.s3 - 1) * sizes.s7 - 1) / sizes.s5 + 1;
    int x = i % w;
    int y = i / w % h;
    int image = i / w / h;
    ACC sum = 0.0f, excess = 0.0f;
    for (int v = 0; v < sizes.s2; v++) {
        int down = y - v * sizes.s6, row = down / sizes.s4;
        if (down < 0 || down % sizes.s4 != 0 || row >= rows)
            continue;
        for (int u = 0; u < sizes.s3; u++) {
            int right = x - u * sizes.s7, column = right / sizes.s5;
            if (right < 0 || right % sizes.s5 != 0 || column >= columns)
                continue;
            int index = offset + image * strides.s0 + row * strides.s1
                     + column * strides.s2 + v * strides.s3
                     + u * strides.s4;
            ACC term = LOAD(a, index) - excess;
            ACC next = sum + term;
            excess = isinf(next) ? 0.0f : next - sum - term;
            sum = next;
        }
    }
    STORE(out, i, sum);
}
