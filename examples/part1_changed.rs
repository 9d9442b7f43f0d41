//! Data that is overwritten between the multiplication and backward.

use std::cell::Cell;
use std::rc::Rc;

// ANCHOR: changed
fn main() {
    let (a, b) = (Rc::new(Cell::new(2.0)), Rc::new(Cell::new(3.0)));
    let c = a.get() * b.get();
    // The rule holds a reference to b's data, not a copy of the values.
    let b_of_the_rule = Rc::clone(&b);
    let grad_a = move |grad_out: f64| grad_out * b_of_the_rule.get();

    println!("c = {c}, grad_a = {}", grad_a(1.0));
    b.set(30.0);
    println!("c = {c}, grad_a = {}", grad_a(1.0));
}
// ANCHOR_END: changed
