// my_transformer: your attention, your layer norm, your Adam.
//
// WHAT   `Parts` holds three parts of the network that generates names: how
//        positions attend to each other, how a row is normalized, and how a
//        step is taken. Replace at least one of our parts by your own.
// WHY    You began with (a * b) * b. The network that learns to spell names
//        here consists of products, sums and exponentials, and of your parts.
// MIND   Queries, keys and values are (n, places, d), for one head. No
//        position attends to a later one. A row is normalized over the last
//        axis, with 1e-5 added to its variance. Adam's betas are 0.9 and 0.99,
//        its epsilon is 1e-8.
// READ   Names
// CHECK  cargo learn check my_transformer

use rungrad::ops::Keep;
use rungrad::part3_unified::Tensor;

use super::{Moments, Parts};

/// Returns the parts of the network.
pub fn parts() -> Parts {
    // HOLE
    //| // Parts that you leave out are ours: `attention`, `layer_norm`,
    //| // `adam`.
    //| let attention = todo!("TODO(my_transformer): yours");
    //| Parts { attention, ..Parts::reference() }
    Parts { attention, layer_norm, adam }
    // END HOLE
}
// HOLE
//|
//| // Below this line: your parts.
//| //   fn attention(queries: &Tensor, keys: &Tensor, values: &Tensor) -> Tensor
//| //   fn layer_norm(x: &Tensor, weight: &Tensor, bias: &Tensor) -> Tensor
//| //   fn adam(weight: &Tensor, grad: &Tensor, moments: &mut Moments, rate: f32)
//| //       -> Tensor
//| // `Moments` has `mean`, `square` and `steps`, the steps taken before this
//| // one. `a.contract(&b, 1, 1)` is `a` times `b` transposed for each text.

/// Lets each position attend to itself and to earlier ones.
fn attention(queries: &Tensor, keys: &Tensor, values: &Tensor) -> Tensor {
    let width = queries.shape()[2] as f32;
    let scores = queries.contract(keys, 1, 1) / width.sqrt();
    let hidden = scores.full_like(-1e30).triu(1);
    let shares = (scores + hidden).softmax();
    shares.contract(&values.transpose(), 1, 1)
}

/// Normalizes each row to mean 0 and variance 1, then applies weight and bias.
fn layer_norm(x: &Tensor, weight: &Tensor, bias: &Tensor) -> Tensor {
    let last = x.rank() - 1;
    let gap = x - x.mean_over(&[last], Keep::Yes);
    let variance = (&gap * &gap).mean_over(&[last], Keep::Yes);
    gap / (variance + 1e-5).sqrt() * weight + bias
}

/// Takes a step and updates the running means.
fn adam(
    weight: &Tensor,
    grad: &Tensor,
    moments: &mut Moments,
    rate: f32,
) -> Tensor {
    moments.steps += 1;
    moments.mean = &moments.mean * 0.9 + grad * 0.1;
    moments.square = &moments.square * 0.99 + grad * grad * 0.01;
    let whole = |beta: f32| 1.0 - beta.powi(moments.steps);
    let mean = &moments.mean / whole(0.9);
    let square = &moments.square / whole(0.99);
    weight - mean / (square.sqrt() + 1e-8) * rate
}
// END HOLE
