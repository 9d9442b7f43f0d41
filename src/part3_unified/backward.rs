//! The sweep back, built in "Function and its context" and "Gradients through
//! views and devices".

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use super::arithmetic::alike;
use super::function::{Node, recording};
use super::record::records;
use super::{
    Array, Context, Function, Gradients, Tensor, apply, enable_grad, no_grad,
};
use crate::checks;
use crate::error::{Error, Result, mistake, or_raise};
use crate::ops::Op;
use crate::scope::Scope;
use crate::tape::Tape;

impl Tensor {
    /// Adds to every leaf the gradient of this tensor, which must have one
    /// element, with respect to that leaf.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[3.0, 4.0], Device::Cpu)?.requires_grad();
    /// (&x * &x).sum().backward();
    /// assert_eq!(x.grad().unwrap().to_vec()?, [6.0, 8.0]);
    /// // A second one adds to what is there.
    /// (&x * &x).sum().backward();
    /// assert_eq!(x.grad().unwrap().to_vec()?, [12.0, 16.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If this tensor has more than one element, or none of its inputs
    /// requires a gradient.
    #[track_caller]
    pub fn backward(&self) {
        let seed = self.one("backward");
        self.backward_from(node(self, "backward"), seed);
    }

    /// Adds to every leaf the gradient of the sum of `self * grad`.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2], &[3.0, 4.0], Device::Cpu)?.requires_grad();
    /// let weights = Tensor::new(&[2], &[1.0, 10.0], Device::Cpu)?;
    /// (&x * &x).backward_with(&weights);
    /// assert_eq!(x.grad().unwrap().to_vec()?, [6.0, 80.0]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If `grad` has another shape or another device than this tensor.
    #[track_caller]
    pub fn backward_with(&self, grad: &Tensor) {
        self.check_seed("backward_with", grad);
        self.backward_from(node(self, "backward"), grad.detach());
    }

    #[track_caller]
    fn backward_from(&self, root: &Arc<Node>, seed: Tensor) {
        or_raise(no_grad(|| {
            sweep([(root, seed)], |node, grad, _| keep(node, grad))
        }));
    }
}

// ANCHOR: sweep
/// Hands each node, from the roots to the leaves, its whole gradient. Whoever
/// uses a node is younger than it: of those that wait, the youngest has got
/// all there is. A tensor without a node has no context: there the way back
/// ends.
fn sweep<'a>(
    seeds: impl IntoIterator<Item = (&'a Arc<Node>, Tensor)>,
    mut seen: impl FnMut(&Node, &Tensor, &[Option<Tensor>]),
) -> Result<()> {
    let mut waiting = BTreeMap::new();
    for (root, seed) in seeds {
        bring(&mut waiting, root, seed);
    }
    while let Some((_, (node, grad_out))) = waiting.pop_last() {
        let Some((function, ctx)) = node.creator() else {
            seen(node, &grad_out, &[]);
            continue;
        };
        // From here on the part works in which the node was made.
        let _part = Scope::way_back(node.id);
        let mut grads = function.backward(ctx, &grad_out);
        check_rule(function, ctx, &grads)?;
        seen(node, &grad_out, &grads);
        for (place, parent) in ctx.edges() {
            let grad = grads[place].take().expect("it was checked");
            bring(&mut waiting, parent, grad);
        }
    }
    Ok(())
}

/// Lets a gradient wait for the others that its node gets.
fn bring<'a>(
    waiting: &mut BTreeMap<u64, (&'a Node, Tensor)>,
    node: &'a Arc<Node>,
    grad: Tensor,
) {
    match waiting.entry(node.id) {
        Entry::Vacant(empty) => {
            empty.insert((node, grad));
        }
        Entry::Occupied(mut place) => {
            let (_, sum) = place.get_mut();
            *sum = sum.add(&grad);
        }
    }
}
// ANCHOR_END: sweep

/// Checks what a rule gave: one of a reader's own may be wrong in number, in
/// shape or in place.
fn check_rule(
    function: &dyn Function,
    ctx: &Context,
    grads: &[Option<Tensor>],
) -> Result<()> {
    checks::gradients(function, grads.len(), ctx.len())?;
    ctx.edges().try_for_each(|(place, parent)| {
        let given = grads[place].as_ref().map(|g| (g.shape(), g.device()));
        let wanted = (parent.like.shape(), parent.like.device);
        checks::gradient(function, place, given, wanted)?;
        let (given, wanted) = (grads[place].as_ref(), parent.like.dtype);
        match given.is_none_or(|given| given.dtype() == wanted) {
            true => Ok(()),
            false => Err(Error::Mistake(format!(
                "{function}: the gradient of operand {place} is of another \
                 type than the operand, which is {wanted}; change it with \
                 .to_dtype(ctx.dtype({place}))"
            ))),
        }
    })
}

/// Keeps the gradient of a leaf, and of no other node.
fn keep(node: &Node, grad: &Tensor) {
    let Some(mut kept) = node.grad() else { return };
    let sum = match kept.take() {
        Some(sum) => sum.add(grad),
        None => grad.clone(),
    };
    *kept = Some(sum);
}

// ANCHOR: grad
/// Computes the gradient of the sum of `outputs`, each of which must have one
/// element, with respect to each of `inputs`. It touches no `.grad`. With
/// `create_graph` the result can be differentiated again.
///
/// # Panics
///
/// If an output has more than one element, or no output depends on an input;
/// [`grad_with`] takes both.
#[track_caller]
pub fn grad(
    outputs: &[&Tensor],
    inputs: &[&Tensor],
    create_graph: bool,
) -> Vec<Tensor> {
    let mut seeds = Vec::new();
    for (i, output) in outputs.iter().enumerate() {
        seeds.push(output.one(&format!("grad: output {i}")));
    }
    let pairs: Vec<_> = outputs.iter().copied().zip(&seeds).collect();
    let found = grad_with(&pairs, inputs, create_graph);
    if let Some(i) = found.iter().position(Option::is_none) {
        mistake(no_gradient(i, inputs[i]));
    }
    found.into_iter().flatten().collect()
}

// ANCHOR_END: grad

/// Does the same for outputs of any shape, each with the gradient that comes
/// to it from above. An input on which no output depends gets `None`.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor, grad_with};
/// let x = Tensor::new(&[2], &[3.0, 4.0], Device::Cpu)?.requires_grad();
/// let apart = Tensor::zeros(&[1], Device::Cpu)?.requires_grad();
/// let (y, weights) = (&x * &x, Tensor::new(&[2], &[1.0, 10.0], Device::Cpu)?);
/// let slopes = grad_with(&[(&y, &weights)], &[&x, &apart], false);
/// assert_eq!(slopes[0].as_ref().unwrap().to_vec()?, [6.0, 80.0]);
/// assert!(slopes[1].is_none());
/// # Ok::<(), rungrad::Error>(())
/// ```
///
/// # Panics
///
/// If an output has no graph, or its gradient has another shape or another
/// device.
#[track_caller]
pub fn grad_with(
    outputs: &[(&Tensor, &Tensor)],
    inputs: &[&Tensor],
    create_graph: bool,
) -> Vec<Option<Tensor>> {
    let mut seeds = Vec::new();
    for (i, (output, grad)) in outputs.iter().enumerate() {
        let caller = format!("grad: output {i}");
        output.check_seed(&caller, grad);
        let seed = if create_graph { (*grad).clone() } else { grad.detach() };
        seeds.push((node(output, &caller), seed));
    }
    let mut found = vec![None; inputs.len()];
    // What was asked for is recorded inside `no_grad`, too.
    or_raise(recording(create_graph, || {
        sweep(seeds, |node, grad, _| {
            for (input, found) in inputs.iter().zip(&mut found) {
                if input.id() == Some(node.id) {
                    *found = Some(grad.clone());
                }
            }
        })
    }));
    if create_graph {
        let found = found.iter_mut().flatten();
        found.for_each(|grad| differentiable(grad, inputs));
    }
    found
}

/// Says why an input got none.
fn no_gradient(i: usize, input: &Tensor) -> String {
    match input.id() {
        None => format!(
            "grad: input {i} does not require a gradient; call \
             .requires_grad() on it before computing"
        ),
        Some(_) => format!(
            "grad: no output depends on input {i}, so its gradient is 0 \
             everywhere; leave it out"
        ),
    }
}

/// Makes a constant gradient differentiable. One that depends on nothing, such
/// as that of a sum, is constant. Its own gradients are 0, and so it needs a
/// graph that says so.
fn differentiable(grad: &mut Tensor, inputs: &[&Tensor]) {
    if grad.node.is_none() {
        let all = [&[&*grad], inputs].concat();
        *grad = enable_grad(|| apply(Constant, &all));
    }
}

/// Its first input as it is; no input has a say in it.
pub(super) struct Constant;

impl Function for Constant {
    fn op(&self) -> Op {
        Op::Constant
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        Ok(inputs[0].clone())
    }

    fn backward(&self, ctx: &Context, _: &Tensor) -> Gradients {
        let zeros = |i| {
            let (shape, device) = (ctx.shape(i), ctx.device(i));
            or_raise(Array::full_of(shape, 0.0, ctx.dtype(i), device))
        };
        let grad = |i| ctx.needs(i).then(|| Tensor::from(zeros(i)));
        (0..ctx.len()).map(grad).collect()
    }
}

impl Tensor {
    /// Records the graph. Values are known where a [`super::trace`] was open
    /// when they were computed.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor, trace};
    /// let x = Tensor::new(&[2], &[3.0, 4.0], Device::Cpu)?.requires_grad();
    /// let tape = trace(|| (&x * &x).sum().tape());
    /// let names: Vec<&str> = tape.records.iter().map(|r| r.op.name()).collect();
    /// assert_eq!(names, ["leaf", "mul", "sum"]);
    /// assert_eq!(tape.records[2].values, Some(vec![25.0]));
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// If none of its inputs requires a gradient, or the device refuses to be
    /// read.
    #[track_caller]
    pub fn tape(&self) -> Tape {
        Tape::new(records(node(self, "tape")))
    }

    /// Runs [`Tensor::backward`], and records every gradient on its way.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor, trace};
    /// let x = Tensor::new(&[2], &[3.0, 4.0], Device::Cpu)?.requires_grad();
    /// let tape = trace(|| (&x * &x).sum().backward_recorded());
    /// assert_eq!(tape.records[0].grad, Some(vec![6.0, 8.0]));
    /// // Every rule on the way is right.
    /// assert_eq!(tape.blame(), None);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// As [`Tensor::backward`], or if the device refuses to be read.
    #[track_caller]
    pub fn backward_recorded(&self) -> Tape {
        let seed = self.one("backward_recorded");
        let root = node(self, "backward_recorded");
        let mut tape = self.tape();
        or_raise(no_grad(|| {
            sweep([(root, seed)], |node, grad, grads| {
                let flat = |t: &Tensor| or_raise(t.array.read::<f32>());
                let given = grads.iter().map(|given| {
                    given.as_ref().map(|g| (g.shape().to_vec(), flat(g)))
                });
                tape.set_grads(node.id, flat(grad), given.collect());
                keep(node, grad);
            })
        }));
        tape
    }
}

#[track_caller]
fn node<'a>(output: &'a Tensor, caller: &str) -> &'a Arc<Node> {
    match &output.node {
        Some(node) => node,
        None => mistake(format!(
            "{caller}: this tensor has no graph; call .requires_grad() on an \
             input before computing, outside no_grad"
        )),
    }
}

impl Tensor {
    /// Makes the seed of a tensor of one element, its gradient to itself: 1.
    #[track_caller]
    fn one(&self, caller: &str) -> Tensor {
        or_raise(checks::one_element(caller, self.shape()));
        Tensor::from(or_raise(self.array.full_here(self.shape(), 1.0)))
    }

    #[track_caller]
    fn check_seed(&self, caller: &str, seed: &Tensor) {
        let [given, here] = [seed, self].map(|t| (t.shape(), t.device()));
        or_raise(checks::seed(caller, given, here));
        or_raise(alike(caller, &self.array, &seed.array));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A link of a chain, a product and a sum, is two nodes and a storage.
    #[test]
    fn a_node_takes_200_bytes() {
        assert_eq!(size_of::<Node>(), 200);
    }
}
