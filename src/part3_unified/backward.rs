//! The backward pass, built in "Function and its context" and "Gradients
//! through views and devices".

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::arithmetic::check_same_kind;
use super::function::{Node, recording};
use super::record::{graph, records};
use super::{
    Array, Context, Function, Gradients, Tensor, apply, enable_grad, no_grad,
};
use crate::checks;
use crate::error::{Error, Result, mistake, or_raise};
use crate::ops::Op;
use crate::scope::Scope;
use crate::tape::Tape;

impl Tensor {
    /// Computes the gradient of this tensor, which must have one element, and
    /// adds it to the gradient of every leaf.
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
    /// If this tensor does not have exactly one element, or none of its inputs
    /// requires a gradient.
    #[track_caller]
    pub fn backward(&self) {
        let seed = self.unit_seed("backward");
        self.backward_from(root_of(self, "backward"), seed);
    }

    /// Adds the gradient of the sum of `self * grad` to every leaf.
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
    /// If `grad` differs from this tensor in shape, device or type.
    #[track_caller]
    pub fn backward_with(&self, grad: &Tensor) {
        self.check_seed("backward_with", grad);
        self.backward_from(root_of(self, "backward_with"), grad.detach());
    }

    #[track_caller]
    fn backward_from(&self, root: &Arc<Node>, seed: Tensor) {
        or_raise(no_grad(|| {
            sweep([(root, seed)], by_age, |node, grad, _| {
                accumulate(node, grad)
            })
        }));
    }

    /// Computes the same gradients as [`Tensor::backward`], but passes each of
    /// them to `hook`, with the id of its leaf, instead of storing it. The hook
    /// runs as soon as the gradient is complete, while the gradients of
    /// earlier layers are still to be computed. A program can send a gradient
    /// to other machines during the rest of the backward pass.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let [a, b] = [2.0, 3.0].map(|x| Tensor::full(&[1], x, Device::Cpu));
    /// let (a, b) = (a?.requires_grad(), b?.requires_grad());
    /// let mut ready = Vec::new();
    /// (&a * &a * &b).backward_with_hook(|leaf, grad| {
    ///     ready.push((leaf, grad.item().unwrap()));
    /// });
    /// // The last operation is the only one that uses `b`.
    /// let [a, b] = [a, b].map(|leaf| leaf.id().unwrap());
    /// assert_eq!(ready, [(b, 4.0), (a, 12.0)]);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// As [`Tensor::backward`].
    #[track_caller]
    pub fn backward_with_hook(&self, mut hook: impl FnMut(u64, &Tensor)) {
        let seed = self.unit_seed("backward_with_hook");
        let root = root_of(self, "backward_with_hook");
        // ANCHOR: hook
        let oldest_use = oldest_uses(root);
        // The gradient of a leaf is complete after its oldest use, so the leaf
        // follows this node and precedes all older ones.
        let order = |node: &Node| {
            let position = oldest_use.get(&node.id).unwrap_or(&node.id);
            (*position, node.id)
        };
        or_raise(no_grad(|| {
            sweep([(root, seed)], order, |node, grad, _| {
                if node.creator().is_none() {
                    hook(node.id, grad);
                }
            })
        }));
        // ANCHOR_END: hook
    }
}

/// Maps each leaf of a graph to the oldest node that uses it.
fn oldest_uses(root: &Arc<Node>) -> HashMap<u64, u64> {
    let mut oldest = HashMap::new();
    for node in graph(root) {
        let edges = node.creator().into_iter().flat_map(|(_, ctx)| ctx.edges());
        for (_, leaf) in edges.filter(|(_, it)| it.creator().is_none()) {
            let known = oldest.entry(leaf.id).or_insert(node.id);
            *known = node.id.min(*known);
        }
    }
    oldest
}

// ANCHOR: sweep
/// Visits each node once, from the roots to the leaves, with its complete
/// gradient. A node is younger than its parents and has a larger id, so the
/// youngest waiting node has received all of its gradient. `order` is
/// [`by_age`] or an order in which leaves come earlier. Tensors without a node
/// end the traversal.
fn sweep<'a, K: Ord>(
    seeds: impl IntoIterator<Item = (&'a Arc<Node>, Tensor)>,
    order: impl Fn(&Node) -> K,
    mut visit: impl FnMut(&Node, &Tensor, &[Option<Tensor>]),
) -> Result<()> {
    let mut waiting = BTreeMap::new();
    for (root, seed) in seeds {
        add_waiting(&mut waiting, order(root), root, seed);
    }
    while let Some((_, (node, grad_out))) = waiting.pop_last() {
        let Some((function, ctx)) = node.creator() else {
            visit(node, &grad_out, &[]);
            continue;
        };
        // Attribute this work to the scope in which the node was created.
        let _part = Scope::backward_of(node.id);
        let mut grads = function.backward(ctx, &grad_out);
        check_rule(function, ctx, &grads)?;
        visit(node, &grad_out, &grads);
        for (index, parent) in ctx.edges() {
            let grad = grads[index].take().expect("it was checked");
            add_waiting(&mut waiting, order(parent), parent, grad);
        }
    }
    Ok(())
}

/// Returns the order of an ordinary backward pass: the youngest node is last
/// in the map and is visited first.
fn by_age(node: &Node) -> u64 {
    node.id
}

/// Adds a gradient to the sum pending for its node.
fn add_waiting<'a, K: Ord>(
    waiting: &mut BTreeMap<K, (&'a Node, Tensor)>,
    key: K,
    node: &'a Arc<Node>,
    grad: Tensor,
) {
    match waiting.entry(key) {
        Entry::Vacant(empty) => {
            empty.insert((node, grad));
        }
        Entry::Occupied(mut entry) => {
            let (_, sum) = entry.get_mut();
            *sum = sum.add(&grad);
        }
    }
}
// ANCHOR_END: sweep

/// Checks the result of a [`Function::backward`], which may be a user's: the
/// number of gradients, and the shape, device and type of each.
fn check_rule(
    function: &dyn Function,
    ctx: &Context,
    grads: &[Option<Tensor>],
) -> Result<()> {
    checks::gradients(function, grads.len(), ctx.input_count())?;
    ctx.edges().try_for_each(|(index, parent)| {
        let given = grads[index].as_ref().map(|g| (g.shape(), g.device()));
        let wanted = (parent.meta.shape(), parent.meta.device);
        checks::gradient(function, index, given, wanted)?;
        let (given, wanted) = (grads[index].as_ref(), parent.meta.dtype);
        match given.is_none_or(|given| given.dtype() == wanted) {
            true => Ok(()),
            false => Err(Error::Mistake(format!(
                "{function}: the gradient of operand {index} is of another \
                 type than the operand, which is {wanted}; change it with \
                 .to_dtype(ctx.dtype({index}))"
            ))),
        }
    })
}

/// Adds a gradient to a leaf; other nodes do not store gradients.
fn accumulate(node: &Node, grad: &Tensor) {
    let Some(mut stored) = node.grad() else { return };
    let sum = match stored.take() {
        Some(sum) => sum.add(grad),
        None => grad.clone(),
    };
    *stored = Some(sum);
}

// ANCHOR: grad
/// Returns the gradient of the sum of `outputs`, each of which must have one
/// element, with respect to each of `inputs`. The `.grad` of the leaves does
/// not change. With `create_graph`, the result can be differentiated again.
///
/// # Panics
///
/// If an output does not have exactly one element, or no output depends on an
/// input; [`grad_with`] accepts both.
#[track_caller]
pub fn grad(
    outputs: &[&Tensor],
    inputs: &[&Tensor],
    create_graph: bool,
) -> Vec<Tensor> {
    let mut seeds = Vec::new();
    for (i, output) in outputs.iter().enumerate() {
        seeds.push(output.unit_seed(&format!("grad: output {i}")));
    }
    let pairs: Vec<_> = outputs.iter().copied().zip(&seeds).collect();
    let found = grad_with(&pairs, inputs, create_graph);
    if let Some(i) = found.iter().position(Option::is_none) {
        mistake(no_gradient(i, inputs[i]));
    }
    found.into_iter().flatten().collect()
}

// ANCHOR_END: grad

/// Like [`grad`], for outputs of any shape, each with its upstream gradient.
/// Returns `None` for an input on which no output depends.
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
/// If an output has no graph, or its gradient differs from it in shape, device
/// or type.
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
        seeds.push((root_of(output, &caller), seed));
    }
    let mut found = vec![None; inputs.len()];
    // `create_graph` takes precedence over a surrounding `no_grad`.
    or_raise(recording(create_graph, || {
        sweep(seeds, by_age, |node, grad, _| {
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

/// Explains why an input has no gradient.
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

/// Adds a graph to a constant gradient. The gradient of a sum, for example,
/// depends on no input and has no graph; a graph in which all of its gradients
/// are 0 lets the caller differentiate it like any other.
fn differentiable(grad: &mut Tensor, inputs: &[&Tensor]) {
    if grad.node.is_none() {
        let all = [&[&*grad], inputs].concat();
        *grad = enable_grad(|| apply(Constant, &all));
    }
}

/// Returns its first input; the gradient with respect to every input is 0.
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
        (0..ctx.input_count()).map(grad).collect()
    }
}

impl Tensor {
    /// Records the graph as a tape. Values are available if a [`super::trace`]
    /// was active when they were computed.
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
    /// If none of its inputs requires a gradient, or the device cannot be
    /// read.
    #[track_caller]
    pub fn tape(&self) -> Tape {
        Tape::new(records(root_of(self, "tape")))
    }

    /// Runs [`Tensor::backward`] and records every gradient that it computes.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor, trace};
    /// let x = Tensor::new(&[2], &[3.0, 4.0], Device::Cpu)?.requires_grad();
    /// let tape = trace(|| (&x * &x).sum().backward_recorded());
    /// assert_eq!(tape.records[0].grad, Some(vec![6.0, 8.0]));
    /// // Every rule is correct.
    /// assert_eq!(tape.blame(), None);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Panics
    ///
    /// As [`Tensor::backward`], or if the device cannot be read.
    #[track_caller]
    pub fn backward_recorded(&self) -> Tape {
        let seed = self.unit_seed("backward_recorded");
        let root = root_of(self, "backward_recorded");
        let mut tape = self.tape();
        or_raise(no_grad(|| {
            sweep([(root, seed)], by_age, |node, grad, grads| {
                let flat = |t: &Tensor| or_raise(t.array.read::<f32>());
                let given = grads.iter().map(|given| {
                    given.as_ref().map(|g| (g.shape().to_vec(), flat(g)))
                });
                tape.set_grads(node.id, flat(grad), given.collect());
                accumulate(node, grad);
            })
        }));
        tape
    }
}

#[track_caller]
fn root_of<'a>(output: &'a Tensor, caller: &str) -> &'a Arc<Node> {
    match &output.node {
        Some(node) => node,
        None => mistake(format!(
            "{caller}: this tensor has no graph; call .requires_grad() on an \
             input before computing, outside no_grad"
        )),
    }
}

impl Tensor {
    /// Returns the seed of the backward pass: the gradient of a one-element
    /// tensor with respect to itself, which is 1.
    #[track_caller]
    fn unit_seed(&self, caller: &str) -> Tensor {
        or_raise(checks::one_element(caller, self.shape()));
        Tensor::from(or_raise(self.array.full_here(self.shape(), 1.0)))
    }

    #[track_caller]
    fn check_seed(&self, caller: &str, seed: &Tensor) {
        let [given, here] = [seed, self].map(|t| (t.shape(), t.device()));
        or_raise(checks::seed(caller, given, here));
        or_raise(check_same_kind(caller, &self.array, &seed.array));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tight size matters because deep graphs consist of little else: one
    /// multiplication followed by an addition costs two nodes and one storage.
    #[test]
    fn a_node_takes_200_bytes() {
        assert_eq!(size_of::<Node>(), 200);
    }
}
