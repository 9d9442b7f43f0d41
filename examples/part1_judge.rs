//! Two cases in which a gradient check misleads: a kink, and a loss whose
//! coefficients are all equal.

use rungrad::gradcheck::{compare, dot, slope};
use rungrad::reference::{Array, mul};

// ANCHOR: kinks
/// ReLU on both sides of its kink, at the kink, and close to it.
fn kinks() {
    for x in [-1.0, 1.0, 0.0, 0.000001] {
        let place = [Array::new(&[1], &[x])];
        let found = slope(&place, 0, |x| x[0].values[0].max(0.0));
        println!("relu at {x}: {:.2}", found.values[0]);
    }
}
// ANCHOR_END: kinks

// ANCHOR: uneven
/// A wrong gradient of the sum of `weights * a * b` with respect to `a`: it is
/// `b`, whatever the weights are.
fn uneven() {
    let (a, b) = ([2.0, 3.0], [3.0, 4.0]);
    let inputs = [Array::new(&[2], &a), Array::new(&[2], &b)];
    let forgetful = &inputs[1];
    for weights in [[1.0, 1.0], [2.0, -0.5]] {
        println!("weights {weights:?}:");
        let weights = Array::new(&[2], &weights);
        let loss = |x: &[Array]| dot(&mul(&x[0], &x[1]), &weights);
        match compare(forgetful, &slope(&inputs, 0, loss), &[]) {
            None => println!("  agrees"),
            Some(mismatch) => println!("{mismatch}"),
        }
    }
}
// ANCHOR_END: uneven

fn main() {
    kinks();
    uneven();
}
