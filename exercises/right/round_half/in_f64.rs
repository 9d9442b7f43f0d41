// In f64, with the rounding of the standard library.

pub fn round(x: f32) -> u16 {
    let sign = if x.is_sign_negative() { 0x8000 } else { 0 };
    let a = f64::from(x.abs());
    if x.is_nan() {
        return sign | 0x7e00;
    }
    if a >= 65520.0 {
        return sign | 0x7c00;
    }
    let e = if a < 2f64.powi(-14) {
        -24
    } else {
        (a.to_bits() >> 52) as i32 - 1023 - 10
    };
    let n = (a / 2f64.powi(e)).round_ties_even() as u16; // in units of the last place
    if e == -24 {
        return sign | n;
    }
    sign | (((e + 10 + 15 - 1) as u16) << 10).wrapping_add(n)
}
