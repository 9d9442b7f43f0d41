float from_below(float x, int distance)
{
    float y;
    asm volatile("shfl.sync.down.b32 %0, %1, %2, 0x1f, 0xffffffff;"
                 : "=f"(y) : "f"(x), "r"(distance));
    return y;
}
float warp_sum(float x)
{
    for (int distance = 16; distance > 0; distance /= 2)
        x += from_below(x, distance);
    return x;
}
