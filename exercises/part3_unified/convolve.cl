// convolve: a convolution that copies no window.
//
// WHAT   image (channels, height, width) and filters (filters, channels, 3, 3)
//        -> out (filters, height, width), `n` elements. Item i computes element
//        i: at its place it looks at a window of 3 x 3 of each channel, with
//        the place in the middle, multiplies each number by that of its filter
//        at the same place of the window, and adds everything up.
// WHY    With the windows in a buffer of their own this would be a product of
//        matrices, and that buffer nine times the image. The item finds the
//        numbers where they lie instead, by arithmetic on indices.
// MIND   At the edge a window looks beyond the image, where the numbers are 0
//        and in no memory: whoever reads there reads something else.
// READ   Windows and a product
// CHECK  cargo learn check convolve

kernel void convolve(global const float *image, global const float *filters,
                     global float *out, uint channels, uint height, uint width,
                     uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    /* TODO(convolve): which filter, row and column; then the sum */
}
