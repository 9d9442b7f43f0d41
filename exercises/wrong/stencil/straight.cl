// Right numbers, and each is fetched nine times.

#define GROUP 256
#define RADIUS 4

kernel void stencil(global const float *a, global float *out, uint n)
{
    uint i = get_global_id(0);
    float sum = 0.0f;
    for (int d = -RADIUS; d <= RADIUS; d++) {
        int place = (int)i + d;
        if (place >= 0 && place < (int)n)
            sum += a[place];
    }
    if (i < n)
        out[i] = sum;
}
