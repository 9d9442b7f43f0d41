// convolve, again: the result is multiplied by a number.
//
// WHAT   Everything is as in the exercise, but each element of `out` is
//        @scale@ times as large.
// READ   Windows and a product
// CHECK  cargo learn again convolve

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
    out[i] = @scale@f * sum;
    // END HOLE
}
