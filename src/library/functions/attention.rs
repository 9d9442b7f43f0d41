//! Attention: each position of a sequence receives a weighted mean of the
//! values at other positions, with weights computed from the sequence itself.

use crate::error::{Result, mistake, or_raise};
use crate::ops::{Keep, Op};
use crate::part3_unified::apply;
use crate::part3_unified::{Array, Context, Function, Gradients, Tensor};

impl Tensor {
    /// Computes scaled dot-product attention with a causal mask: queries (..,
    /// rows, d), keys (.., places, d) and values (.., places, d) -> (.., rows,
    /// d). The weights are the softmax of the products of queries and keys.
    /// The queries belong to the last `rows` positions, and none attends to a
    /// later position.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let keys = Tensor::zeros(&[2, 1], Device::Cpu)?;
    /// let values = Tensor::new(&[2, 1], &[1.0, 5.0], Device::Cpu)?;
    /// let seen = keys.causal_attention(&keys, &values);
    /// assert_eq!(seen.to_vec()?, [1.0, 3.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If the shapes do not match, if there are more queries than keys, or if
    /// the devices differ.
    #[doc(alias = "scaled_dot_product_attention")]
    #[track_caller]
    pub fn causal_attention(&self, keys: &Tensor, values: &Tensor) -> Tensor {
        let (rows, places) = (row_count(self), row_count(keys));
        if rows > places {
            mistake(format!(
                "causal_attention: {rows} queries and {places} keys; the \
                 queries are the last of the places, so there must be a key \
                 for each"
            ));
        }
        let batch = self.rank() - 2;
        let weights = attention_weights(self, keys);
        weights.contract(&values.transpose(), batch, 1)
    }
}

/// Returns the number of rows of the matrices in `t`, and panics if it has
/// fewer than two axes.
#[track_caller]
fn row_count(t: &Tensor) -> usize {
    match t.shape() {
        [.., rows, _] => *rows,
        short => mistake(format!(
            "causal_attention: shape {short:?} has fewer than two axes; it \
             takes (.., places, numbers of each)"
        )),
    }
}

/// Computes the attention weights, whose rows sum to 1: (.., rows, d) x (..,
/// places, d) -> (.., rows, places).
#[track_caller]
fn attention_weights(queries: &Tensor, keys: &Tensor) -> Tensor {
    let (rank, width) = (queries.rank(), queries.shape()[queries.rank() - 1]);
    // Scale the queries, because there are fewer of them than scores.
    let scaled = queries.scale(1.0 / (width as f64).sqrt());
    let scores = scaled.contract(keys, rank - 2, 1);
    scores
        .add(&causal_mask(row_count(queries), row_count(keys), queries))
        .softmax()
}

/// Returns the causal mask, which is added to the scores: 0 for positions that
/// a row may attend to, and negative infinity for later ones.
#[track_caller]
fn causal_mask(rows: usize, places: usize, like: &Tensor) -> Tensor {
    let past = places - rows;
    let hidden = |i: usize, j: usize| match j > past + i {
        true => f32::NEG_INFINITY,
        false => 0.0,
    };
    let mask: Vec<f32> = (0..rows * places)
        .map(|index| hidden(index / places, index % places))
        .collect();
    let mask = or_raise(Tensor::new(&[rows, places], &mask, like.device()));
    or_raise(mask.to_dtype(like.dtype()))
}

impl Tensor {
    /// Computes multi-head [`Tensor::causal_attention`] on packed queries,
    /// keys and values: (n, places, 3 * width) -> (n, places, width). The
    /// first third of each row contains the queries of all heads, the second
    /// the keys, and the third the values.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let rows = [0., 0., 1., 2., 3., 4., 0., 0., 7., 8., 5., 0.];
    /// let x = Tensor::new(&[1, 2, 6], &rows, Device::Cpu)?;
    /// let seen = x.self_attention(2);
    /// assert_eq!(seen.to_vec()?, [3., 4., 4., 2.]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If there are not three axes, or the last is not divisible by
    /// `3 * heads`.
    #[track_caller]
    pub fn self_attention(&self, heads: usize) -> Tensor {
        match self.shape() {
            [_, _, all] if heads > 0 && all % (3 * heads) == 0 => {}
            shape => mistake(format!(
                "self_attention: shape {shape:?} in {heads} heads; it takes \
                 (n, places, 3 * width), and each head has its share of the \
                 width"
            )),
        }
        apply(SelfAttention { heads }, &[self])
    }
}

/// Multi-head causal self-attention.
///
/// With the attention weights `p`: `grad_v = p^T grad_out`. The gradient of
/// the scores is the softmax gradient, `p * (s - sum(p * s))` with
/// `s = grad_out v^T`, and the gradients of queries and keys are its products
/// with the keys and the queries. The weights are recomputed in the backward
/// pass, which costs less than storing them.
pub struct SelfAttention {
    /// The number of heads; each uses an equal part of the width.
    pub heads: usize,
}

impl Function for SelfAttention {
    fn op(&self) -> Op {
        Op::Custom("self_attention")
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, inputs[0]);
        let seen = inputs[0].self_attention(self.heads)?;
        ctx.save_output(&seen);
        Ok(seen)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        let (x, heads) = (ctx.input(0), self.heads);
        // If the gradient must itself be differentiable, compose it from
        // recorded operations.
        if x.records() || grad_out.records() {
            return vec![Some(compose_attention_grads(&x, grad_out, heads))];
        }
        let (seen, above) = (ctx.output(), grad_out.array());
        let grads = x.array().self_attention_grads(seen.array(), above, heads);
        vec![Some(Tensor::from(or_raise(grads)))]
    }
}

/// Splits (n, places, 3 * width) into queries, keys and values of shape (n,
/// heads, places, head width). They are copied once, so that the matmuls read
/// contiguous matrices.
#[track_caller]
pub(crate) fn split_heads(x: &Tensor, heads: usize) -> [Tensor; 3] {
    let [n, places, all] = [0, 1, 2].map(|axis| x.shape()[axis]);
    let width = all / 3 / heads;
    let apart = x.reshape(&[n, places, 3, heads, width]);
    let apart = apart.permute(&[2, 0, 3, 1, 4]);
    let apart = apart.reshape(&[3 * n * heads, places, width]);
    let apart = apart.reshape(&[3, n, heads, places, width]);
    [0, 1, 2]
        .map(|i| apart.slice(&[i..i + 1]).reshape(&[n, heads, places, width]))
}

/// Computes the gradient of self-attention from other tensor operations.
#[track_caller]
fn compose_attention_grads(
    x: &Tensor,
    grad_out: &Tensor,
    heads: usize,
) -> Tensor {
    let [queries, keys, values] = split_heads(x, heads);
    let [n, _, places, width] = [0, 1, 2, 3].map(|i| queries.shape()[i]);
    let above = grad_out.reshape(&[n, places, heads, width]);
    let above = above.permute(&[0, 2, 1, 3]);
    let weights = attention_weights(&queries, &keys);
    let grad_values = weights.transpose().contract(&above.transpose(), 2, 1);
    let grad_weights = above.contract(&values, 2, 1);
    let total = weights.mul(&grad_weights).sum_over(&[3], Keep::Yes);
    let grad_scores = weights.mul(&grad_weights.sub(&total));
    let root = (width as f64).sqrt();
    let [queries, keys] =
        [queries, keys].map(|tensor| tensor.scale(1.0 / root));
    let grad_queries = grad_scores.contract(&keys.transpose(), 2, 1);
    let grad_keys =
        grad_scores.transpose().contract(&queries.transpose(), 2, 1);
    let all = [grad_queries, grad_keys, grad_values];
    let all = all.map(|tensor| tensor.permute(&[0, 2, 1, 3]));
    let all: Vec<&Tensor> = all.iter().collect();
    Tensor::stack(&all, 2).reshape(x.shape())
}

impl Array {
    /// Computes self-attention: (n, places, 3 * width) -> (n, places, width).
    pub fn self_attention(&self, heads: usize) -> Result<Array> {
        let shape = self.shape();
        let shape = [shape[0], shape[1], shape[2] / 3];
        self.filled(&shape, |backend| backend.self_attention(self, heads))
    }

    /// Computes the gradient of self-attention with respect to `self`, from
    /// the result `seen` and its upstream gradient.
    pub fn self_attention_grads(
        &self,
        seen: &Array,
        grad_out: &Array,
        heads: usize,
    ) -> Result<Array> {
        self.filled(self.shape(), |backend| {
            backend.self_attention_grads([self, seen, grad_out], heads)
        })
    }
}
