//! Three float types: what each can represent, which computations fail first,
//! what bf16 would keep, and how accurate a difference quotient is.

use std::process::ExitCode;

use rungrad::Error;
use rungrad::part3_unified::{DType, Device, Element, F16, Tensor};

fn main() -> ExitCode {
    rungrad::run(|| {
        neighbors()?;
        println!();
        breaks()?;
        println!();
        sixteen_bits();
        println!();
        differences()
    })
}

/// Prints for each type its size in bytes, the distance from 1 to the next
/// value, the largest value, and the smallest above 0, found by repeated
/// halving.
fn neighbors() -> Result<(), Error> {
    println!("type  bytes  from 1 to the next  largest  smallest");
    row::<F16>(f32::from(F16::MAX).into())?;
    row::<f32>(f32::MAX.into())?;
    row::<f64>(f64::MAX)
}

fn row<T: Element>(largest: f64) -> Result<(), Error> {
    let one = Tensor::of(&[1], &[T::nearest(1.0)], Device::Cpu)?;
    let halved = |goes_on: &dyn Fn(&Tensor) -> Result<bool, Error>| {
        let mut size = one.clone();
        while goes_on(&(&size * 0.5))? {
            size *= 0.5;
        }
        size.item_of::<f64>()
    };
    let step =
        halved(&|size| Ok((&one + size).gt(&one).item_of::<f64>()? > 0.0))?;
    let least = halved(&|size| Ok(size.item_of::<f64>()? > 0.0))?;
    let dtype = T::DTYPE;
    println!(
        "{dtype:<4}  {:>5}  {step:>18.1e}  {largest:>7.1e}  {least:>8.1e}",
        dtype.size()
    );
    Ok(())
}

// ANCHOR: breaks
/// Prints the result of some computations in each type.
fn breaks() -> Result<(), Error> {
    type Computation = (&'static str, fn(&Tensor) -> Tensor);
    let computations: [Computation; 6] = [
        ("2048 + 1", |one| one * 2048.0 + 1.0),
        ("0.1 + 0.2", |one| one * 0.1 + one * 0.2),
        ("the sum of 100,000 ones", |one| one.expand(&[100_000]).sum()),
        ("their mean", |one| one.expand(&[100_000]).mean()),
        ("e to the 12", |one| (one * 12.0).exp()),
        ("1e-4 squared", |one| (one * 1e-4).pow(2.0)),
    ];
    println!("{:<24}{:<14}{:<14}f64", "", "f16", "f32");
    for (what, compute) in computations {
        let one = Tensor::of(&[], &[1.0_f64], Device::Cpu)?;
        let mut words = format!("{what:<24}");
        for dtype in [DType::F16, DType::F32, DType::F64] {
            let found = compute(&one.to_dtype(dtype)?);
            words += &format!(
                "{:<14}",
                found.array().to_string().replace(" on cpu", "")
            );
        }
        println!("{}", words.trim_end());
    }
    Ok(())
}
// ANCHOR_END: breaks

// ANCHOR: bf16
/// Rounds to the nearest `bf16`, an `f32` without the last 16 of its mantissa
/// bits. Ties go to the even neighbor.
fn bf16(x: f32) -> f32 {
    let odd = x.to_bits() >> 16 & 1;
    f32::from_bits((x.to_bits() + 0x7fff + odd) & 0xffff_0000)
}
// ANCHOR_END: bf16

/// Prints what two types of 16 bits keep of a number.
fn sixteen_bits() {
    println!("number        kept as f16  kept as bf16");
    for x in [1e-8, 1.005, 70_000.0] {
        let half = f32::from(F16::round(x));
        println!("{x:<12.3e}{half:>13.3e}{:>14.3e}", bf16(x));
    }
}

/// Prints the largest error of the derivative of x³ at 64 points, estimated by
/// differences, for nudges from 0.1 down.
fn differences() -> Result<(), Error> {
    println!("nudge  error in f16  error in f32  error in f64");
    let mut best = [f64::INFINITY; 3];
    for exponent in 1..=10 {
        let nudge = 10_f64.powi(-exponent);
        let errors =
            [error::<F16>(nudge)?, error::<f32>(nudge)?, error::<f64>(nudge)?];
        let [half, single, double] = errors;
        println!("1e-{exponent:<4}{half:>12.1e}{single:>14.1e}{double:>14.1e}");
        for (best, error) in best.iter_mut().zip(errors) {
            *best = best.min(error);
        }
    }
    let [half, single, double] = best;
    println!("least {half:>12.1e}{single:>14.1e}{double:>14.1e}");
    Ok(())
}

fn error<T: Element>(nudge: f64) -> Result<f64, Error> {
    let places: Vec<T> =
        (0..64).map(|i| T::nearest(1.0 + f64::from(i) / 64.0)).collect();
    let x = Tensor::of(&[64], &places, Device::Cpu)?;
    let cube = |x: Tensor| &x * &x * &x;
    let slope = (cube(&x + nudge) - cube(&x - nudge)) / (2.0 * nudge);
    let slopes: Vec<f64> = slope.to_vec_of()?;
    let errors = slopes.iter().zip(&places).map(|(slope, x)| {
        let right = 3.0 * x.wide() * x.wide();
        // NaN counts as an infinite error.
        if slope.is_finite() { (slope - right).abs() } else { f64::INFINITY }
    });
    Ok(errors.fold(0.0, f64::max))
}
