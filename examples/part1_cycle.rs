//! Reference cycles: a backward rule that captures its own output, and one
//! that does not.

use std::cell::{Cell, OnceCell};
use std::rc::Rc;

thread_local!(pub(crate) static LIVE: Cell<usize> = const { Cell::new(0) });

// ANCHOR: cycle
pub(crate) struct Tensor {
    data: Rc<f32>,
    grad: Cell<f32>,
    _parents: Vec<Rc<Tensor>>,
    rule: OnceCell<Box<dyn Fn(f32) -> [f32; 2]>>,
}

/// As in micrograd: the closure captures `out` to read its gradient.
pub(crate) fn mul_that_captures(a: &Rc<Tensor>, b: &Rc<Tensor>) -> Rc<Tensor> {
    let out = tensor(*a.data * *b.data, vec![a.clone(), b.clone()]);
    let (x, y, z) = (a.clone(), b.clone(), out.clone());
    let rule = move |_| [z.grad.get() * *y.data, z.grad.get() * *x.data];
    let _ = out.rule.set(Box::new(rule));
    out
}

/// As in the engine: the upstream gradient is an argument, and the closure
/// captures only the operands' data.
pub(crate) fn mul_that_is_told(a: &Rc<Tensor>, b: &Rc<Tensor>) -> Rc<Tensor> {
    let out = tensor(*a.data * *b.data, vec![a.clone(), b.clone()]);
    let (x, y) = (a.data.clone(), b.data.clone());
    let rule = move |grad_out| [grad_out * *y, grad_out * *x];
    let _ = out.rule.set(Box::new(rule));
    out
}
// ANCHOR_END: cycle

// ANCHOR: cycle-main
type Mul = fn(&Rc<Tensor>, &Rc<Tensor>) -> Rc<Tensor>;

fn show(words: &str, mul: Mul) {
    println!("{words}:");
    let (a, b) = (tensor(2.0, vec![]), tensor(3.0, vec![]));
    let c = mul(&a, &b);
    c.grad.set(1.0);
    println!("  the rule gives {:?}", c.rule.get().expect("set")(1.0));
    let all = [a, b, c];
    println!(
        "  owners of a, b, c:   {:?}",
        all.each_ref().map(Rc::strong_count)
    );
    let watched = all.each_ref().map(Rc::downgrade);
    drop(all);
    println!("  when you let go:     {:?}", watched.map(|w| w.strong_count()));
    for _ in 1..1000 {
        mul(&tensor(2.0, vec![]), &tensor(3.0, vec![]));
    }
    println!("  alive after 1000 products: {}", LIVE.get());
}
// ANCHOR_END: cycle-main

pub(crate) fn tensor(data: f32, parents: Vec<Rc<Tensor>>) -> Rc<Tensor> {
    LIVE.set(LIVE.get() + 1);
    Rc::new(Tensor {
        data: Rc::new(data),
        grad: Cell::new(0.0),
        _parents: parents,
        rule: OnceCell::new(),
    })
}

impl Drop for Tensor {
    fn drop(&mut self) {
        LIVE.set(LIVE.get() - 1);
    }
}

fn main() {
    show("a rule that receives grad_out", mul_that_is_told);
    show("a rule that captures its output", mul_that_captures);
}
