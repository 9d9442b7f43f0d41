// The filter is turned around, as mathematics has it.

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
                // Without a sign, one before 0 is behind every edge.
                uint down = y + v - 1, right = x + u - 1;
                if (down >= height || right >= width)
                    continue;
                uint of_image = (c * height + down) * width + right;
                uint of_filter =
                    ((filter * channels + c) * 3 + 2 - v) * 3 + 2 - u;
                sum += image[of_image] * filters[of_filter];
            }
    out[i] = sum;
}
