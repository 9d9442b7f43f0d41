// Random values in [0, 1): element i of the sequence of a seed -> out (n). One
// work-item per element. `src/common/rng.rs` has the same algorithm, so the
// values are the same on every device.
kernel void plain_uniform(global float *out, uint seed_low, uint seed_high,
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
    // The upper 24 bits, because a float holds integers exactly up to 2^24.
    out[i] = (float)(z >> 40) / (1 << 24);
}
