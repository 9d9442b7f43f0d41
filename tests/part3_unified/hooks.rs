//! `Tensor::backward_with_hook`: the gradients of `backward`, each as soon as
//! it is complete.

use std::sync::{Arc, Mutex};

use rungrad::part3_unified::{
    Array, Context, Device, Function, Gradients, Op, Tensor, apply,
};
use testkit::clean;

/// Returns its input, and records that its backward pass has run.
struct Recorded(Arc<Mutex<Vec<String>>>);

impl Function for Recorded {
    fn op(&self) -> Op {
        Op::Custom("recorded")
    }

    fn forward(
        &self,
        _: &mut Context,
        inputs: &[&Array],
    ) -> rungrad::Result<Array> {
        Ok(inputs[0].clone())
    }

    fn backward(&self, _: &Context, grad_out: &Tensor) -> Gradients {
        self.0.lock().unwrap().push("backward of layer 1".into());
        vec![Some(grad_out.clone())]
    }
}

/// The weights are created before the forward pass, as in a model, so their
/// age does not show when their gradients are complete.
///
/// Promise: A hook runs as soon as the gradient of its leaf is complete, before
/// the backward pass of earlier layers.
#[test]
fn a_hook_runs_before_the_backward_pass_of_earlier_layers() {
    let _clean = clean();
    let log = Arc::new(Mutex::new(Vec::new()));
    let one = || Tensor::ones(&[2], Device::Cpu).unwrap().requires_grad();
    let (last, first) = (one(), one());
    let hidden = apply(Recorded(log.clone()), &[&(&first * 3.0)]);
    (&hidden * &last).sum().backward_with_hook(|leaf, _| {
        let name = if Some(leaf) == last.id() { "last" } else { "first" };
        log.lock().unwrap().push(format!("gradient of {name}"));
    });
    assert_eq!(
        *log.lock().unwrap(),
        ["gradient of last", "backward of layer 1", "gradient of first"]
    );
}

/// A leaf with several uses has several sums of `f32`, whose order decides the
/// bits.
///
/// Promise: A hook receives the bits that `backward` stores, once per leaf, and
/// no `.grad` changes.
#[test]
fn a_hook_receives_the_gradients_of_backward() {
    let _clean = clean();
    let random = |shape: &[usize], seed| {
        Tensor::rand(shape, seed, Device::Cpu).unwrap().requires_grad()
    };
    let (tied, bias) = (random(&[8, 8], 1), random(&[8], 2));
    let unused = random(&[3], 3);
    let mut x = Tensor::rand(&[5, 8], 4, Device::Cpu).unwrap();
    for _ in 0..4 {
        x = (x.matmul(&tied) + &bias).tanh() + &x;
    }
    let loss = (&x * &x).sum();
    let mut given = Vec::new();
    loss.backward_with_hook(|leaf, grad| {
        given.push((leaf, grad.to_vec().unwrap()));
    });
    assert!(tied.grad().is_none() && bias.grad().is_none());
    loss.backward();
    assert!(unused.grad().is_none());
    given.sort_by_key(|(leaf, _)| *leaf);
    let stored = [&tied, &bias]
        .map(|it| (it.id().unwrap(), it.grad().unwrap().to_vec().unwrap()));
    assert_eq!(given, stored);
    // A leaf that is the root is complete at once.
    let mut count = 0;
    let root = random(&[1], 5);
    root.backward_with_hook(|leaf, grad| {
        assert_eq!(Some(leaf), root.id());
        assert_eq!(grad.item().unwrap(), 1.0);
        count += 1;
    });
    assert_eq!(count, 1);
}
