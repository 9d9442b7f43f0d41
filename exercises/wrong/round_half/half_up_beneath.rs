// Beneath 2^-14 a tie is rounded up, not to even.

/// Rounds to the nearest number of sixteen bits, and returns its bits.
pub fn round(x: f32) -> u16 {
    let b = x.to_bits();
    let s = ((b >> 16) & 0x8000) as u16;
    let e = ((b >> 23) & 0xff) as i32 - 127 + 15;
    let m = b & 0x7fffff;
    if e >= 31 {
        return if (b & 0x7fffffff) > 0x7f800000 {
            s | 0x7e00
        } else {
            s | 0x7c00
        };
    }
    if e <= 0 {
        if e < -10 {
            return s;
        }
        let m = m | 0x800000;
        let sh = 14 - e;
        let h = (m >> sh) as u16;
        let r = m & ((1 << sh) - 1);
        let half = 1 << (sh - 1);
        return s | (h + (r >= half) as u16);
    }
    let h = ((e as u16) << 10) | (m >> 13) as u16;
    let r = m & 0x1fff;
    s | (h + (r > 0x1000 || (r == 0x1000 && h & 1 == 1)) as u16)
}
