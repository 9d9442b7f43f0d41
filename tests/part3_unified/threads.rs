//! State that threads share, and state that belongs to one thread.

use std::panic::{self, AssertUnwindSafe};
use std::thread;

use rungrad::part3_unified::{
    Array, Context, Function, Gradients, Op, Tensor, apply, enable_grad,
    no_grad,
};
use rungrad::{Result, attempt};

use super::{constant, leaf};
use testkit::clean;

/// Promise: Eight threads can share a leaf and a graph.
#[test]
fn threads_can_share_a_leaf_and_a_graph() {
    let x = leaf(&[3.0]);
    let y = x.mul(&x);
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..100 {
                    y.sum().backward();
                }
            });
        }
    });
    assert_eq!(x.grad().unwrap().to_vec().unwrap(), [4800.0]);
}

/// Promise: A Part 3 tensor is `Send` and `Sync`.
#[test]
fn tensors_are_send_and_sync() {
    let _clean = clean();
    fn sent_and_shared<T: Send + Sync>() {}
    sent_and_shared::<Tensor>();
    sent_and_shared::<Array>();
}

/// `catch_unwind` accepts a tensor without `AssertUnwindSafe`.
#[test]
fn a_tensor_can_be_used_after_a_panic() {
    let _clean = clean();
    let x = leaf(&[2.0]);
    let refused = panic::catch_unwind(|| x.reshape(&[2]));
    assert!(refused.is_err());
    x.mul(&x).sum().backward();
    assert_eq!(x.grad().unwrap().to_vec().unwrap(), [4.0]);
}

/// The identity, which panics in the named method.
struct PanicsIn(&'static str);

impl PanicsIn {
    fn at(&self, step: &str) {
        assert!(self.0 != step, "the function panics in {step}");
    }
}

impl Function for PanicsIn {
    fn op(&self) -> Op {
        self.at("op");
        Op::Custom("panics")
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        self.at("forward");
        Ok(inputs[0].clone())
    }

    fn backward(&self, _: &Context, grad_out: &Tensor) -> Gradients {
        self.at("backward");
        vec![Some(grad_out.clone())]
    }
}

impl Drop for PanicsIn {
    fn drop(&mut self) {
        // A second panic would end the process.
        if !thread::panicking() {
            self.at("drop");
        }
    }
}

#[test]
fn graphs_are_freed_after_a_function_panicked() {
    let _clean = clean();
    for step in ["op", "forward", "backward", "drop"] {
        let x = leaf(&[2.0]);
        let work = || {
            // Two such functions, with operations before, between and after
            // them.
            let a = apply(PanicsIn(step), &[&x.mul(&x)]);
            let b = apply(PanicsIn(step), &[&a.mul(&x)]).mul(&x);
            drop(a);
            b.backward_recorded();
        };
        let panicked = panic::catch_unwind(AssertUnwindSafe(work));
        assert!(panicked.is_err(), "{step}");
        x.zero_grad();
        let _clean = clean();
        x.mul(&x).sum().backward();
        assert_eq!(x.grad().unwrap().to_vec().unwrap(), [4.0], "{step}");
        x.zero_grad();
    }
}

#[test]
fn enable_grad_records_inside_no_grad() {
    let _clean = clean();
    let x = leaf(&[3.0]);
    no_grad(|| {
        let y = enable_grad(|| x.mul(&x));
        assert!(!x.mul(&x).records(), "the scope has ended");
        y.backward();
    });
    assert_eq!(x.grad().unwrap().to_vec().unwrap(), [6.0]);
    let panicked = no_grad(|| {
        let panicked = attempt(|| enable_grad(|| x.reshape(&[2])));
        assert!(!x.mul(&x).records(), "the scope has ended by a panic");
        panicked
    });
    assert!(panicked.is_err());
    x.zero_grad();
}

#[test]
fn no_grad_affects_only_its_thread() {
    let _clean = clean();
    let x = leaf(&[2.0]);
    no_grad(|| {
        assert!(x.mul(&x).id().is_none());
        let other = thread::scope(|s| {
            s.spawn(|| x.mul(&x).id().is_some()).join().unwrap()
        });
        assert!(other, "a different thread still records");
    });
    assert!(x.mul(&x).id().is_some(), "the scope has ended");
}

#[test]
fn a_panic_ends_the_no_grad_scope() {
    let _clean = clean();
    let x = leaf(&[2.0, 3.0]);
    let three = constant(&[1.0; 3]);
    let refused = attempt(|| no_grad(|| x.mul(&three)));
    assert!(refused.is_err());
    assert!(x.mul(&x).id().is_some());
}
