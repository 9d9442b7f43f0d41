// What lies outside is read somewhere else, and multiplied by 0.

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
                uint down = y + v - 1, right = x + u - 1;
                int inside = down < height && right < width;
                uint of_image = inside ? (c * height + down) * width + right : 0;
                uint of_filter = ((filter * channels + c) * 3 + v) * 3 + u;
                sum += inside * image[of_image] * filters[of_filter];
            }
    out[i] = sum;
}
