//! The sweep back, built in chapters 23 and 25.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::iter;
use std::sync::Arc;

use super::function::{Node, recording};
use super::{Array, Context, Function, Tensor, apply, no_grad};
use crate::error::{Error, mistake, or_raise};
use crate::graph::topological_order;
use crate::ops::Op;
use crate::tape::{Record, Tape};

impl Tensor {
    /// Adds to every leaf the gradient of this tensor, which must have one
    /// element, with respect to that leaf.
    #[track_caller]
    pub fn backward(&self) {
        self.backward_with(&one(self, "backward"));
    }

    /// Adds to every leaf the gradient of the sum of `self * grad`.
    #[track_caller]
    pub fn backward_with(&self, grad: &Tensor) {
        let root = root(self, grad);
        no_grad(|| {
            sweep(vec![(root, grad.detach())], |node, grad, _| {
                if node.made.is_none() {
                    keep(node, grad);
                }
            });
        });
    }
}

/// Hands each node, from the roots to the leaves, its whole gradient. A
/// tensor without a node has no context: there the way back ends.
fn sweep(
    seeds: Vec<(&Arc<Node>, Tensor)>,
    mut seen: impl FnMut(&Node, &Tensor, &[Option<Tensor>]),
) {
    let roots: Vec<_> = seeds.iter().map(|(root, _)| *root).collect();
    let mut waiting = HashMap::new();
    for (root, seed) in seeds {
        bring(&mut waiting, root.id, seed);
    }
    for node in graph(&roots).into_iter().rev() {
        let Some(grad_out) = waiting.remove(&node.id) else { continue };
        let Some((function, ctx)) = &node.made else {
            seen(node, &grad_out, &[]);
            continue;
        };
        let mut grads = function.backward(ctx, &grad_out);
        seen(node, &grad_out, &grads);
        for (place, parent) in &ctx.edges {
            let Some(grad) = grads.get_mut(*place).and_then(Option::take)
            else {
                mistake(format!(
                    "{}: backward gave no gradient for input {place}, which \
                     needs one; give one for each input in order",
                    function.name()
                ))
            };
            bring(&mut waiting, parent.id, grad);
        }
    }
}

fn bring(waiting: &mut HashMap<u64, Tensor>, id: u64, grad: Tensor) {
    match waiting.entry(id) {
        Entry::Vacant(empty) => {
            empty.insert(grad);
        }
        Entry::Occupied(mut sum) => {
            let total = sum.get().add(&grad);
            sum.insert(total);
        }
    }
}

/// All nodes under some roots. Ids count up, so no other root was made from
/// the newest one: there the walk begins, and takes the others for parents.
fn graph<'a>(roots: &[&'a Arc<Node>]) -> Vec<&'a Arc<Node>> {
    let Some(newest) = roots.iter().max_by_key(|root| root.id) else {
        return vec![];
    };
    let parent = |node: &'a Arc<Node>, k: usize| match node.edges().get(k) {
        Some((_, parent)) => Some(parent),
        None if node.id != newest.id => None,
        None => roots.get(k - node.edges().len()).copied(),
    };
    topological_order(*newest, |node| node.id, parent)
}

fn keep(node: &Node, grad: &Tensor) {
    let mut kept = node.grad();
    let sum = match kept.take() {
        Some(sum) => sum.add(grad),
        None => grad.clone(),
    };
    *kept = Some(sum);
}

// ANCHOR: grad
/// The gradient of the sum of `outputs`, each of which must have one
/// element, with respect to each of `inputs`. It touches no `.grad`. With
/// `create_graph` the result can be differentiated again.
#[track_caller]
pub fn grad(
    outputs: &[&Tensor],
    inputs: &[&Tensor],
    create_graph: bool,
) -> Vec<Tensor> {
    let mut seeds = Vec::new();
    for (i, output) in outputs.iter().enumerate() {
        let caller = format!("grad: output {i}");
        let seed = one(output, &caller);
        seeds.push((node(output, &caller), seed));
    }
    let mut found = vec![None; inputs.len()];
    let look = || {
        sweep(seeds, |node, grad, _| {
            for (input, found) in inputs.iter().zip(&mut found) {
                if input.id() == Some(node.id) {
                    *found = Some(grad.clone());
                }
            }
        });
    };
    // What was asked for is recorded inside `no_grad`, too.
    recording(create_graph, look);
    if let Some(i) = found.iter().position(Option::is_none) {
        mistake(no_gradient(i, inputs[i]));
    }
    let found = found.into_iter().flatten();
    match create_graph {
        true => found.map(|grad| differentiable(grad, inputs)).collect(),
        false => found.collect(),
    }
}
// ANCHOR_END: grad

/// Why an input got none.
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

/// A gradient that depends on nothing, such as that of a sum, is constant. Its
/// own gradients are 0, and so it needs a graph that says so.
fn differentiable(grad: Tensor, inputs: &[&Tensor]) -> Tensor {
    if grad.node.is_some() {
        return grad;
    }
    let zeros = inputs.iter().map(|input| input.zeros()).collect();
    let all: Vec<&Tensor> =
        iter::once(&grad).chain(inputs.iter().copied()).collect();
    recording(true, || apply(Constant(zeros), &all))
}

/// Its first input as it is; no input has a say in it.
struct Constant(Vec<Tensor>);

impl Function for Constant {
    fn name(&self) -> &'static str {
        "constant"
    }

    fn forward(
        &self,
        _ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error> {
        Ok(inputs[0].clone())
    }

    fn backward(&self, _ctx: &Context, _out: &Tensor) -> Vec<Option<Tensor>> {
        iter::once(None).chain(self.0.iter().cloned().map(Some)).collect()
    }
}

impl Tensor {
    /// A record of the graph. Values are known where a [`super::trace`] was
    /// open when they were computed.
    #[track_caller]
    pub fn tape(&self) -> Tape {
        Tape::new(records(node(self, "tape")))
    }

    /// [`Tensor::backward`], and a record of every gradient on its way.
    #[track_caller]
    pub fn backward_recorded(&self) -> Tape {
        let seed = one(self, "backward_recorded");
        let root = node(self, "backward_recorded");
        let mut tape = self.tape();
        no_grad(|| {
            sweep(vec![(root, seed)], |node, grad, grads| {
                let flat = |t: &Tensor| or_raise(t.to_vec());
                let given = grads.iter().map(|given| {
                    given.as_ref().map(|g| (g.shape().to_vec(), flat(g)))
                });
                // A node that was made outside a trace knows no shape.
                if let Some(at) = tape.position(node.id) {
                    tape.records[at].shape = grad.shape().to_vec();
                }
                tape.note(node.id, flat(grad), given.collect());
                if node.made.is_none() {
                    keep(node, grad);
                }
            });
        });
        tape
    }
}

/// The records of a graph, parents first. An input without a node appears as
/// a constant where a trace has kept it.
fn records(root: &Arc<Node>) -> Vec<Record> {
    let mut arrays: HashMap<u64, Array> = HashMap::new();
    let mut constants: Vec<(u64, Array)> = Vec::new();
    let mut records = Vec::new();
    for node in graph(&[root]) {
        let (op, parents) = match (&node.made, &node.kept) {
            (None, _) => (Op::Leaf, vec![]),
            (Some((function, ctx)), None) => {
                let ids = ctx.edges.iter().map(|(_, parent)| parent.id);
                (function.op(), ids.collect())
            }
            (Some((function, _)), Some(kept)) => {
                arrays.insert(node.id, kept.output.clone());
                let ids = kept.inputs.iter().map(|(id, array)| match id {
                    Some(id) => {
                        arrays.insert(*id, array.clone());
                        *id
                    }
                    None => constant(array, &mut constants, &mut records),
                });
                (function.op(), ids.collect())
            }
        };
        records.push(Record::new(node.id, op, parents, &[], None));
    }
    for record in &mut records {
        let known = constants.iter().find(|(id, _)| *id == record.id);
        let array = arrays.get(&record.id).or(known.map(|(_, a)| a));
        if let Some(array) = array {
            record.shape = array.shape().to_vec();
            record.values = Some(or_raise(array.to_vec()));
        }
    }
    records
}

/// The id of a constant on the tape; the same numbers are the same constant.
fn constant(
    array: &Array,
    constants: &mut Vec<(u64, Array)>,
    records: &mut Vec<Record>,
) -> u64 {
    let same = |(_, known): &&(u64, Array)| {
        known.shares(array) && known.view() == array.view()
    };
    if let Some((id, _)) = constants.iter().find(same) {
        return *id;
    }
    // Ids of nodes count up from 1; those of constants count down.
    let id = u64::MAX - constants.len() as u64;
    constants.push((id, array.clone()));
    records.push(Record::new(id, Op::Constant, vec![], &[], None));
    id
}

#[track_caller]
fn root<'a>(output: &'a Tensor, seed: &Tensor) -> &'a Arc<Node> {
    if output.shape() != seed.shape() || output.device() != seed.device() {
        mistake(format!(
            "backward_with: the gradient has shape {:?} on {}, but this \
             tensor has {:?} on {}; give both the same",
            seed.shape(),
            seed.device(),
            output.shape(),
            output.device()
        ));
    }
    node(output, "backward")
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

/// The seed of a tensor of one element: its gradient to itself.
#[track_caller]
fn one(output: &Tensor, caller: &str) -> Tensor {
    if output.array.len() != 1 {
        mistake(format!(
            "{caller}: this tensor has shape {:?}, not one element; sum it \
             first, or hand backward_with a gradient of that shape",
            output.shape()
        ));
    }
    let ones = Array::full(output.shape(), 1.0, output.device());
    Tensor::from(or_raise(ones))
}
