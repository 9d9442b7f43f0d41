// convolve: a convolution without copied windows.
//
// WHAT   image (channels, height, width) and filters (filters, channels, 3, 3)
//        -> out (filters, height, width), `n` elements. Item i computes
//        element i: the sum over all channels and over a window of 3 x 3
//        pixels centered at the element's position, of each pixel times the
//        weight of the element's filter at the same position of the window.
// WHY    If the windows were copied to a buffer, this would be a matrix
//        multiplication, but the buffer would be nine times as large as the
//        image. Instead, the item computes the index of each pixel.
// MIND   At the edge a window extends beyond the image, where the pixels count
//        as 0. They are not in memory: a read at such an address would return
//        something else.
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
