// Numbers that no operand gives.

// From 0 to below 1: number i of the sequence of a seed -> out (n). The bits
// are those of `src/base/rng.rs`, so they are the same on every device.
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
    // The upper bits, as many as a float or a half counts exactly.
    uint bits = sizeof(OUT) == 2 ? 11 : 24;
    STORE(out, i, (ACC)(uint)(z >> (64 - bits)) / (ACC)(1u << bits));
}
