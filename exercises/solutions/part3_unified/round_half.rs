// round_half: the nearest sixteen-bit float.
//
// WHAT   Return the bits of the `f16` that is nearest to an `f32`: one for the
//        sign, five for the exponent plus 15, ten for the digits after the
//        leading 1. If two are equally near, take the even one, whose last bit
//        is 0. Below 2^-14 there is no leading 1, and the bits of the exponent
//        are 0. Numbers that round to 2^16 or more become infinite, 0x7c00; a
//        NaN becomes 0x7e00.
// WHY    Rounding decides what is lost, and where: if all ties were rounded
//        up, every long sum would be too large.
// READ   Numbers of three sizes
// CHECK  cargo learn check round_half

/// Returns the bits of the nearest `f16`.
pub fn round(x: f32) -> u16 {
    // HOLE
    //| // The bits of x: the sign, eight for the exponent plus 127, 23 digits.
    //| todo!("TODO(round_half): the nearest, and the even one of two")
    let bits = x.to_bits();
    let (sign, size) = ((bits >> 16) as u16 & 0x8000, bits & 0x7fff_ffff);
    if x.is_nan() {
        return sign | 0x7e00;
    }
    let exponent = (size >> 23) as i32 - 127;
    if exponent > 15 {
        return sign | 0x7c00;
    }
    // Thirteen digits are cut off, and one more for each power of two below
    // 2^-14.
    let cut = 13 + (-14 - exponent).max(0);
    if cut > 24 {
        return sign;
    }
    let digits = size & 0x7f_ffff | 0x80_0000;
    let (kept, rest, half) =
        (digits >> cut, digits & ((1 << cut) - 1), 1 << (cut - 1));
    let up = rest > half || rest == half && kept % 2 == 1;
    // The leading 1 adds one to the exponent, and so does a carry.
    let exponent = (exponent.max(-14) + 14) as u32;
    sign | ((exponent << 10) + kept + u32::from(up)) as u16
    // END HOLE
}
