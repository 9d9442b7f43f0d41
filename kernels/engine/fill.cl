// Fills arrays without an operand.

// Uniform random values in [0, 1): element i of the sequence of a seed -> out
// (n). The algorithm is the one in `src/common/rng.rs`, so the bits are the
// same on every device.
kernel void fill_uniform(global OUT *out, uint seed_low, uint seed_high,
                         uint n)
{
    uint i = get_global_id(0);
    if (i >= n)
        return;
    ulong seed = ((ulong)seed_high << 32) | seed_low;
    ulong z = seed + 0x9e3779b97f4a7c15UL * ((ulong)i + 1);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9UL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebUL;
    z ^= z >> 31;
    // Use the upper bits: all that fit the mantissa of a float or a half.
    uint bits = sizeof(OUT) == 2 ? 11 : 24;
    STORE(out, i, (ACC)(uint)(z >> (64 - bits)) / (ACC)(1u << bits));
}
