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
}
// ANCHOR_END: one-nudge

// ANCHOR: worst
/// Returns the largest relative error of a derivative of x³, at 64 points
/// between 1 and 2.
fn worst(derivative: impl Fn(f64) -> f64) -> f64 {
    let errors = (0..64).map(|i| {
        let x = 1.0 + f64::from(i) / 64.0;
        let right = 3.0 * x * x;
        (derivative(x) - right).abs() / right
    });
    errors.fold(0.0, f64::max)
}

pub(crate) fn worst_in_f32(nudge: f64) -> f64 {
    let h = nudge as f32;
    let cube = |x: f32| x * x * x;
    worst(|x| {
        let x = x as f32;
        ((cube(x + h) - cube(x - h)) / (2.0 * h)).into()
    })
}

pub(crate) fn worst_in_f64(h: f64) -> f64 {
    worst(|x| (cube(x + h) - cube(x - h)) / (2.0 * h))
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
