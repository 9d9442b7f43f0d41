//! The figure of "Numbers of three sizes": the bits of a value in `f16`, `bf16`
//! and `f32`, and its two neighbors.

use rungrad::Error;
use rungrad::half::F16;
use serde_json::{Value, json};

/// A floating-point type: the sign bit, then the exponent, then the mantissa.
pub(crate) struct Format {
    pub(crate) name: &'static str,
    exponent: u32,
    mantissa: u32,
    round: fn(f32) -> u32,
    value: fn(u32) -> f32,
}

pub(crate) const F16_FORMAT: Format = Format {
    name: "f16",
    exponent: 5,
    mantissa: 10,
    round: |x| F16::round(x).to_bits().into(),
    value: |bits| F16::from_bits(bits as u16).into(),
};

pub(crate) const BF16_FORMAT: Format = Format {
    name: "bf16",
    exponent: 8,
    mantissa: 7,
    // As `bf16` in `examples/part3_sizes.rs`, but a NaN stays a NaN.
    round: |x| {
        let bits = x.to_bits();
        match x.is_nan() {
            true => bits >> 16,
            false => (bits + 0x7fff + (bits >> 16 & 1)) >> 16,
        }
    },
    value: |bits| f32::from_bits(bits << 16),
};

const F32_FORMAT: Format = Format {
    name: "f32",
    exponent: 8,
    mantissa: 23,
    round: f32::to_bits,
    value: f32::from_bits,
};

/// Answers two requests: `number`, with a number, and `bits`, with a type and a
/// bit pattern. The answer has the value that each type stores, the closest
/// smaller and larger value, and the gap above it.
pub(crate) fn answer(what: &str, words: &[&str]) -> Result<Value, Error> {
    let formats = [&F16_FORMAT, &BF16_FORMAT, &F32_FORMAT];
    let number = match (what, words) {
        ("number", [word]) => {
            word.trim().replace(',', ".").parse().map_err(|_| {
                Error::Usage(format!(
                    "`{word}` is not a number; write for example 2049 or 1e-8"
                ))
            })?
        }
        ("bits", [name, bits]) => {
            let format = formats.iter().find(|it| it.name == *name);
            let format = format.ok_or_else(usage)?;
            let is_whole = bits.len() == format.width() as usize;
            let bits = u32::from_str_radix(bits, 2).ok().filter(|_| is_whole);
            (format.value)(bits.ok_or_else(usage)?)
        }
        _ => return Err(usage()),
    };
    let formats = formats.map(|it| it.stored((it.round)(number)));
    Ok(json!({ "number": decimal(number.into()), "formats": formats }))
}

fn usage() -> Error {
    Error::Usage(
        "this figure takes a number, or the name of a type and its bits"
            .to_string(),
    )
}

impl Format {
    fn width(&self) -> u32 {
        1 + self.exponent + self.mantissa
    }

    /// Rounds a number to this type.
    pub(crate) fn rounded(&self, x: f32) -> f32 {
        (self.value)((self.round)(x))
    }

    fn stored(&self, bits: u32) -> Value {
        let exponent = bits >> self.mantissa & ((1 << self.exponent) - 1);
        let fraction = bits & ((1 << self.mantissa) - 1);
        let is_last = exponent == (1 << self.exponent) - 1;
        let kind = match (exponent, fraction) {
            (0, 0) => "zero",
            (0, _) => "subnormal",
            (_, 0) if is_last => "infinite",
            _ if is_last => "not a number",
            _ => "normal",
        };
        let bias = (1 << (self.exponent - 1)) - 1;
        let value = (self.value)(bits);
        let [below, above] = [false, true].map(|up| self.next(bits, up));
        let gap = f64::from(above) - f64::from(value);
        json!({
            "name": self.name,
            "bits": format!("{bits:0width$b}", width = self.width() as usize),
            "exponent_bits": self.exponent,
            "kind": kind,
            "exponent": exponent,
            "bias": bias,
            // Subnormal values have the exponent of the smallest normal ones.
            "power": exponent.max(1) as i32 - bias,
            "leading": u32::from(exponent > 0),
            "fraction": fraction,
            "of": 1 << self.mantissa,
            "value": decimal(value.into()),
            "below": decimal(below.into()),
            "above": decimal(above.into()),
            "gap": decimal(gap),
        })
    }

    /// Returns the closest larger or smaller value, or NaN if there is none.
    fn next(&self, bits: u32, up: bool) -> f32 {
        let sign = 1 << (self.width() - 1);
        let [magnitude, negative] = [bits & (sign - 1), bits & sign];
        let value = (self.value)(bits);
        let is_end = value.is_infinite() && (value > 0.0) == up;
        if value.is_nan() || is_end {
            return f32::NAN;
        }
        (self.value)(match (magnitude, (negative == 0) == up) {
            (0, _) => 1 | if up { 0 } else { sign },
            (_, true) => negative | (magnitude + 1),
            (_, false) => negative | (magnitude - 1),
        })
    }
}

/// Formats a value with the fewest digits that identify an `f32`.
fn decimal(x: f64) -> String {
    let near = x as f32;
    match near.abs() {
        size if size == 0.0 || !size.is_finite() => near.to_string(),
        1e-4..1e8 => near.to_string(),
        _ => format!("{near:e}"),
    }
}
