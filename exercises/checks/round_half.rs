//! Checks `round_half`, rounding to the nearest 16-bit float.

use std::process::ExitCode;

use exercises::{Outcome, check, choose, either, wrong};
use rungrad::half::F16;

exercises::yours!("part3_unified/round_half.rs");

fn main() -> ExitCode {
    check(
        "round_half",
        YOURS,
        &[
            ("numbers that fit are unchanged", same),
            (
                either(
                    "the nearest is taken",
                    "a nearer one may be on the wrong side",
                ),
                nearest,
            ),
            (
                either("a tie is rounded to even", "halfway is no exception"),
                even,
            ),
            (
                either(
                    "numbers that are too large become infinite",
                    "numbers beyond 65504",
                ),
                large,
            ),
            ("below 2^-14 there are fewer digits", small),
            ("NaN stays NaN", no_number),
        ],
    )
}

/// Returns the nearest value in one direction, for a variant: toward 0, up or
/// down.
fn directed(x: f32) -> u16 {
    let (nearest, is_negative) = (F16::round(x), x.is_sign_negative());
    let is_up = choose(false, [is_negative, true, false]);
    let (bits, value) = (nearest.to_bits(), f32::from(nearest));
    let is_wrong_side = if is_up { value < x } else { value > x };
    match is_wrong_side {
        false => bits,
        // Without the sign, the next bits are farther from 0.
        true if is_up == is_negative => bits - 1,
        true => bits + 1,
    }
}

/// Compares the answer with ours.
fn compare(x: f32, why: &str) -> Outcome {
    let right = either(F16::round(x).to_bits(), directed(x));
    let side = choose("", ["farther from 0", "less", "greater"]);
    let rule = format!(
        "Take the nearest value that is not {side} than the number, and keep \
         the sign of 0."
    );
    let why = either(why, &rule);
    let yours = yours::round(x);
    match yours == right {
        true => Ok(()),
        false => Err(wrong(format!(
            "For {x:e}, whose bits are {:#010x}, your function returns \
             {yours:#06x}, which is {}. It should return {right:#06x}, which \
             is {}. {why}",
            x.to_bits(),
            F16::from_bits(yours),
            F16::from_bits(right)
        ))),
    }
}

/// Returns the normal numbers, from 2^-14 on, each with its successor.
fn normal() -> impl Iterator<Item = (f32, f32)> {
    (0x0400..0x7bff).map(|bits| {
        let value = |bits| f32::from(F16::from_bits(bits));
        (value(bits), value(bits + 1))
    })
}

fn same(_: &()) -> Outcome {
    for (x, _) in normal() {
        compare(x, "This number can be represented exactly.")?;
        compare(
            -x,
            "The first bit is the sign, which is 1 for negative \
                     numbers.",
        )?;
    }
    Ok(())
}

fn nearest(_: &()) -> Outcome {
    for (low, high) in normal() {
        for part in [0.25, 0.75] {
            let x = low + part * (high - low);
            for x in [x, -x] {
                compare(
                    x,
                    "This number is between two values, and one of them is \
                     nearer: do not just cut off the digits that do not fit.",
                )?;
            }
        }
    }
    Ok(())
}

fn even(_: &()) -> Outcome {
    for (low, high) in normal() {
        compare(
            f32::midpoint(low, high),
            "This number is halfway between two values: take the one whose \
             last bit is 0.",
        )?;
    }
    Ok(())
}

fn large(_: &()) -> Outcome {
    for x in [65519.0, 65520.0, 65535.0, 65536.0, 1e30, f32::INFINITY] {
        compare(
            x,
            "The largest is 65504; the next would be 65536, and a number that \
             is nearer to that, or equally near, becomes infinite.",
        )?;
        compare(-x, "Infinity has a sign.")?;
    }
    Ok(())
}

fn small(_: &()) -> Outcome {
    for bits in 0..0x0400 {
        let value = |bits| f32::from(F16::from_bits(bits));
        let (low, high) = (value(bits), value(bits + 1));
        for part in [0.0, 0.25, 0.5, 0.75] {
            let x = low + part * (high - low);
            for x in [x, -x] {
                compare(
                    x,
                    "Below 2^-14 all values are 2^-24 apart, down to 0.",
                )?;
            }
        }
    }
    for x in [-0.0, 1e-10, -1e-10, 1e-40] {
        compare(x, "The sign of 0 must be kept.")?;
    }
    Ok(())
}

fn no_number(_: &()) -> Outcome {
    let yours = yours::round(f32::NAN);
    match f32::from(F16::from_bits(yours)).is_nan() {
        true => Ok(()),
        false => Err(wrong(format!(
            "For a NaN your function returns {yours:#06x}, which is {}: the \
             digits of a NaN must not all be 0, so return 0x7e00.",
            F16::from_bits(yours)
        ))),
    }
}
