// The steps are not counted.

use rungrad::ops::Keep;
use rungrad::part3_unified::Tensor;

use super::{Moments, Parts};

/// Lists the parts that the network is made of.
pub fn parts() -> Parts {
    Parts { attention, layer_norm, adam }
}

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
    moments.mean = &moments.mean * 0.9 + grad * 0.1;
    moments.square = &moments.square * 0.99 + grad * grad * 0.01;
    let whole = |beta: f32| 1.0 - beta.powi(1);
    let mean = &moments.mean / whole(0.9);
    let square = &moments.square / whole(0.99);
    weight - mean / (square.sqrt() + 1e-8) * rate
}
