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
    // The bits of x: the sign, eight for the exponent plus 127, 23 digits.
    todo!("TODO(round_half): the nearest, and the even one of two")
}
