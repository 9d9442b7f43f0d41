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
    // HOLE
    //| /* TODO(convolve): which filter, row and column; then the sum */
    uint x = i % width, y = i / width % height, filter = i / width / height;
    float sum = 0.0f;
    for (uint c = 0; c < channels; c++)
        for (uint v = 0; v < 3; v++)
            for (uint u = 0; u < 3; u++) {
                // Unsigned: an index below 0 wraps around and is beyond every
                // edge.
                uint down = y + v - 1, right = x + u - 1;
                if (down >= height || right >= width)
                    continue;
                uint of_image = (c * height + down) * width + right;
                uint of_filter = ((filter * channels + c) * 3 + v) * 3 + u;
                sum += image[of_image] * filters[of_filter];
            }
    out[i] = sum;
    // END HOLE
}
