//! Estimates derivatives by differences, one-sided and central, with nudges
//! that are too large and too small.

// ANCHOR: one-nudge
/// x³. Its derivative is 3x², so 12 at 2.
fn cube(x: f64) -> f64 {
    x * x * x
}

fn one_nudge() {
    for nudge in [0.1, 0.01, 0.001] {
        let one_sided = (cube(2.0 + nudge) - cube(2.0)) / nudge;
        let central = (cube(2.0 + nudge) - cube(2.0 - nudge)) / (2.0 * nudge);
        println!("{nudge:<5}  {one_sided:.6}  {central:.6}");
    }
    // The smallest nudge of an integer is 1.
    let cube = |x: i64| x * x * x;
    println!("as integers: {}", (cube(3) - cube(1)) / 2);
}
// ANCHOR_END: one-nudge

// ANCHOR: worst
/// The largest relative error of the central difference of x³ at 64 points
/// between 1 and 2, computed entirely in the given float type.
macro_rules! worst {
    ($float:ty, $nudge:expr) => {{
        let cube = |x: $float| x * x * x;
        let nudge = $nudge as $float;
        let errors = (0..64).map(|i| {
            let x = 1.0 + i as $float / 64.0;
            let slope = (cube(x + nudge) - cube(x - nudge)) / (2.0 * nudge);
            let right = 3.0 * f64::from(x) * f64::from(x);
            (f64::from(slope) - right).abs() / right
        });
        errors.fold(0.0, f64::max)
    }};
}

pub(crate) fn worst_in_f32(nudge: f64) -> f64 {
    worst!(f32, nudge)
}

pub(crate) fn worst_in_f64(nudge: f64) -> f64 {
    worst!(f64, nudge)
}
// ANCHOR_END: worst

fn main() {
    println!("nudge  one-sided  central");
    one_nudge();
    println!("\nnudge  error in f32  error in f64");
    for nudge in [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9] {
        let (single, double) = (worst_in_f32(nudge), worst_in_f64(nudge));
        println!("{nudge:<5.0e}  {single:<12.0e}  {double:.0e}");
    }
}
