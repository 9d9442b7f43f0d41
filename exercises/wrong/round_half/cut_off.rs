// The digits that do not fit are cut off.

/// Returns the bits of the nearest `f16`.
pub fn round(x: f32) -> u16 {
    let bits = x.to_bits();
    let (sign, size) = ((bits >> 16) as u16 & 0x8000, bits & 0x7fff_ffff);
    if x.is_nan() {
        return sign | 0x7e00;
    }
    let exponent = (size >> 23) as i32 - 127;
    if exponent > 15 {
        return sign | 0x7c00;
    }
    // Thirteen digits are cut off, and one more for each power of two that
    // the number is beneath 2^-14.
    let cut = 13 + (-14 - exponent).max(0);
    if cut > 24 {
        return sign;
    }
    let digits = size & 0x7f_ffff | 0x80_0000;
    let kept = digits >> cut;
    // The leading 1 counts as one of the exponent; so does a carry.
    let exponent = (exponent.max(-14) + 14) as u32;
    sign | ((exponent << 10) + kept) as u16
}
