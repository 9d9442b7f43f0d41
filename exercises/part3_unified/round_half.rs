// round_half: the sixteen bits that are nearest.
//
// WHAT   Return the bits of the `f16` that is nearest to an `f32`: one for the
//        sign, five for the exponent plus 15, ten for the digits behind the
//        leading 1. Of two that are as near take the even one, whose last bit
//        is 0. Beneath 2^-14 there is no leading 1, and the exponent's bits
//        are 0. What rounds to 2^16 or more is infinite, 0x7c00; a NaN is
//        0x7e00.
// WHY    Rounding decides what is lost, and where: ties that all went up
//        would push every long sum the same way.
// READ   Numbers of three sizes
// CHECK  cargo learn check round_half

/// Returns the bits of the nearest `f16`.
pub fn round(x: f32) -> u16 {
    // The bits of x: sign, eight of the exponent plus 127, 23 digits.
    todo!("TODO(round_half): the nearest, and of two the even one")
}
