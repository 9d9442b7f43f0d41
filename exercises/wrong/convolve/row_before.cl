// Only the two ends of the memory are guarded.

kernel void convolve(global const float *image, global const float *filters,
                     global float *out, uint channels, uint height, uint width,
                     uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    uint x = i % width, y = i / width % height, filter = i / width / height;
    float sum = 0.0f;
    for (uint c = 0; c < channels; c++)
        for (uint v = 0; v < 3; v++)
            for (uint u = 0; u < 3; u++) {
                // As a signed number it may lie before the first pixel.
                int of_image = ((int)(c * height + y + v) - 1) * (int)width
                               + (int)(x + u) - 1;
                if (of_image < 0 || of_image >= (int)(channels * height * width))
                    continue;
                uint of_filter = ((filter * channels + c) * 3 + v) * 3 + u;
                sum += image[of_image] * filters[of_filter];
            }
    out[i] = sum;
}
