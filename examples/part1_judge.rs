//! Two cases in which a gradient check misleads: a kink, and a loss in which
//! all elements have the same factor.

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
/// A wrong gradient of the sum of `factors * a * b` with respect to `a`: it is
/// `b`, whatever the factors are.
fn uneven() {
    let (a, b) = ([2.0, 3.0], [3.0, 4.0]);
    let inputs = [Array::new(&[2], &a), Array::new(&[2], &b)];
    let wrong = &inputs[1];
    for factors in [[1.0, 1.0], [2.0, -0.5]] {
        println!("factors {factors:?}:");
        let factors = Array::new(&[2], &factors);
        let loss = |x: &[Array]| dot(&mul(&x[0], &x[1]), &factors);
        match compare(wrong, &slope(&inputs, 0, loss), &[]) {
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
