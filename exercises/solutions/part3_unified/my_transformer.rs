// my_transformer: your attention, your layer norm, your Adam.
//
// WHAT   `Parts` holds three parts of the network that invents names: how
//        places look at each other, how a row is normalized, and how a step
//        is taken. Put yours in the place of ours, as many as you like and at
//        least one.
// WHY    You began with (a * b) * b. What learns to spell names here is made
//        of products, sums and exponentials, and of what you put in.
// MIND   Queries, keys and values are (n, places, d), of one head. Nobody
//        looks ahead. A row is normalized over the last axis, with 1e-5 added
//        to its variance. Adam's betas are 0.9 and 0.99, its epsilon is 1e-8.
// READ   Names
// CHECK  cargo learn check my_transformer

use rungrad::ops::Keep;
use rungrad::part3_unified::Tensor;

use super::{Moments, Parts};

/// Lists the parts that the network is made of.
pub fn parts() -> Parts {
    // HOLE
    //| // Those that you leave out are ours: `attention`, `layer_norm`, `adam`.
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

/// Lets each place look at itself and those before it.
fn attention(queries: &Tensor, keys: &Tensor, values: &Tensor) -> Tensor {
    let width = queries.shape()[2] as f32;
    let scores = queries.contract(keys, 1, 1) / width.sqrt();
    let hidden = scores.full_like(-1e30).triu(1);
    let shares = (scores + hidden).softmax();
    shares.contract(&values.transpose(), 1, 1)
}

/// Brings each row to mean 0 and variance 1, times a weight, plus a bias.
fn layer_norm(x: &Tensor, weight: &Tensor, bias: &Tensor) -> Tensor {
    let last = x.rank() - 1;
    let gap = x - x.mean_over(&[last], Keep::Yes);
    let variance = (&gap * &gap).mean_over(&[last], Keep::Yes);
    gap / (variance + 1e-5).sqrt() * weight + bias
}

/// Takes a step, and keeps the running means for the next one.
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
