// Windows added up to images, the mirror of cutting images into windows:
// a (count, rows, columns, height, width), dense from an offset on -> out
// (count, h, w). One item for each element of an image: it looks for the
// windows that show it, so no two items write to one place.

// A sum of perhaps many windows: what an addition rounds away is given to the
// next one, so that nothing piles up.

// sizes: h and w of the image, rows and columns of windows, height and width
// of a window, its step down and to the right.
kernel void fold_windows(global const float *a, uint offset, int8 sizes,
                         global float *out, uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint h = sizes.s0, w = sizes.s1;
    int x = i % w;
    int y = i / w % h;
    uint image = i / w / h;
    float sum = 0.0f, excess = 0.0f;
    for (int v = 0; v < sizes.s4; v++) {
        int row = (y - v) / sizes.s6;
        if (y < v || (y - v) % sizes.s6 != 0 || row >= sizes.s2)
            continue;
        for (int u = 0; u < sizes.s5; u++) {
            int column = (x - u) / sizes.s7;
            if (x < u || (x - u) % sizes.s7 != 0 || column >= sizes.s3)
                continue;
            // Without a sign, the largest buffers are reached too.
            uint at = image * sizes.s2 + row;
            at = at * sizes.s3 + column;
            at = at * sizes.s4 + v;
            float given = a[offset + at * sizes.s5 + u] - excess;
            float next = sum + given;
            excess = isinf(next) ? 0.0f : next - sum - given;
            sum = next;
        }
    }
    out[i] = sum;
}
