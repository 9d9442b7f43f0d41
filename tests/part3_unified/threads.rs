//! What threads share, and what is a matter of one.

use std::{panic, thread};

use rungrad::attempt;
use rungrad::part3_unified::{Array, Tensor, no_grad};

use super::common::clean;
use super::{constant, leaf};

#[test]
fn eight_threads_share_a_leaf_and_a_graph() {
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

#[test]
fn a_tensor_can_be_sent_and_shared() {
    let _clean = clean();
    fn sent_and_shared<T: Send + Sync>() {}
    sent_and_shared::<Tensor>();
    sent_and_shared::<Array>();
}

/// `catch_unwind` takes it as it is, without an `AssertUnwindSafe`.
#[test]
fn a_tensor_goes_on_after_a_panic() {
    let _clean = clean();
    let x = leaf(&[2.0]);
    let refused = panic::catch_unwind(|| x.reshape(&[2]));
    assert!(refused.is_err());
    x.mul(&x).sum().backward();
    assert_eq!(x.grad().unwrap().to_vec().unwrap(), [4.0]);
}

#[test]
fn no_grad_is_a_matter_of_one_thread() {
    let _clean = clean();
    let x = leaf(&[2.0]);
    no_grad(|| {
        assert!(x.mul(&x).id().is_none());
        let other = thread::scope(|s| {
            s.spawn(|| x.mul(&x).id().is_some()).join().unwrap()
        });
        assert!(other, "another thread goes on recording");
    });
    assert!(x.mul(&x).id().is_some(), "the scope has ended");
}

#[test]
fn a_scope_ends_also_by_a_panic() {
    let _clean = clean();
    let x = leaf(&[2.0, 3.0]);
    let three = constant(&[1.0; 3]);
    let refused = attempt(|| no_grad(|| x.mul(&three)));
    assert!(refused.is_err());
    assert!(x.mul(&x).id().is_some());
}
