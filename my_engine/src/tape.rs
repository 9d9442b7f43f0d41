//! Reads the graph of the reader's engine as a tape.
//!
//! Such an engine keeps gradients only at its leaves and does not expose its
//! backward rules. So each operation is run once more on new leaves with the
//! values of its operands; the gradients of these leaves are the output of its
//! rule. This module then accumulates the gradients of the inner nodes.

use std::collections::{HashMap, HashSet};

use rungrad::ops::{Keep, Op};
use rungrad::tape::{Gradient, Record, Tape};

use crate::engine;
use crate::mine::{ORDER, call, has_reached, known};
use crate::table::Handle;
use testkit::calls::Call;

/// Reads a graph: from the level of `graph` on in the order that the reader's
/// engine returns, before it in an order of ours.
pub(crate) fn values(root: &Handle) -> Tape {
    let order = match has_reached(ORDER) {
        true => (engine().graph)(root),
        false => topological_order(root),
    };
    Tape::new(order.iter().map(record).collect())
}

/// Reads a graph with the gradients of a backward pass.
pub(crate) fn with_gradients(root: &Handle, seed: &[f32]) -> Tape {
    let order = (engine().graph)(root);
    let mut tape = Tape::new(order.iter().map(record).collect());
    set_gradients(&mut tape, &order, seed);
    tape
}

/// Cuts a tape at operations that the reference does not know: their results
/// become leaves.
pub(crate) fn without_unknown_ops(mut tape: Tape) -> Tape {
    for record in &mut tape.records {
        if matches!(record.op, Op::Custom(_)) {
            record.op = Op::Leaf;
            record.parents.clear();
            record.parent_grads.clear();
        }
    }
    tape
}

fn record(tensor: &Handle) -> Record {
    let table = engine();
    let parents = (table.parents)(tensor);
    let ids = parents.iter().map(table.id).collect();
    let values = Some((table.to_vec)(tensor));
    let op = op(tensor, &parents);
    Record::new((table.id)(tensor), op, ids, &(table.shape)(tensor), values)
}

fn op(tensor: &Handle, parents: &[Handle]) -> Op {
    let table = engine();
    let Some(first) = parents.first() else { return Op::Leaf };
    if let Some(op) = known((table.id)(tensor)) {
        return op;
    }
    let axes = || (0..(table.shape)(first).len()).collect();
    match (table.op)(tensor).as_str() {
        "neg" => Op::Scale(-1.0),
        "sum" => Op::Sum(axes(), Keep::No),
        "max" => Op::Max(axes(), Keep::No),
        name => match Op::find(name) {
            Some(op) => op,
            // Leaked, because a tape lives as long as the program.
            None => Op::Custom(Box::leak(name.to_string().into_boxed_str())),
        },
    }
}

/// Returns the graph, parents first, without using the reader's own order.
fn topological_order(root: &Handle) -> Vec<Handle> {
    let table = engine();
    let mut order = Vec::new();
    let mut visited = HashSet::from([(table.id)(root)]);
    let mut path = vec![(root.clone(), (table.parents)(root).into_iter())];
    while let Some((node, parents)) = path.last_mut() {
        match parents.next() {
            Some(parent) if visited.insert((table.id)(&parent)) => {
                let parents = (table.parents)(&parent).into_iter();
                path.push((parent, parents));
            }
            Some(_) => {}
            None => {
                order.push(node.clone());
                path.pop();
            }
        }
    }
    order
}

fn set_gradients(tape: &mut Tape, order: &[Handle], seed: &[f32]) {
    let Some(root) = tape.records.last() else { return };
    let mut waiting = HashMap::from([(root.id, seed.to_vec())]);
    for at in (0..order.len()).rev() {
        let record = tape.records[at].clone();
        let Some(grad_out) = waiting.remove(&record.id) else { continue };
        if record.parents.is_empty() {
            tape.records[at].grad = (engine().grad)(&order[at]);
            continue;
        }
        let operands = (engine().parents)(&order[at]);
        let given = run_rule(&record, &operands, &grad_out);
        for (parent, grad) in record.parents.iter().zip(&given) {
            let Some((_, grad)) = grad else { continue };
            match waiting.get_mut(parent) {
                Some(sum) => {
                    sum.iter_mut().zip(grad).for_each(|(sum, g)| *sum += g);
                }
                None => drop(waiting.insert(*parent, grad.clone())),
            }
        }
        tape.set_grads(record.id, grad_out, given);
    }
}

/// Runs one operation's backward rule alone and returns its gradients.
fn run_rule(
    record: &Record,
    operands: &[Handle],
    grad_out: &[f32],
) -> Vec<Option<Gradient>> {
    let table = engine();
    let copy =
        |it: &Handle| (table.new)(&(table.shape)(it), &(table.to_vec)(it));
    let leaves: Vec<Handle> = operands.iter().map(copy).collect();
    let borrowed: Vec<&Handle> = leaves.iter().collect();
    let again = call_of(&record.op).and_then(|it| call(&it, &borrowed));
    let Some(again) = again else { return vec![None; operands.len()] };
    let grad_out = (table.new)(&record.shape, grad_out);
    (table.backward_with)(&again, &grad_out);
    let given = leaves.iter().map(|leaf| {
        let (shape, grad) = ((table.shape)(leaf), (table.grad)(leaf)?);
        let fits = shape.iter().product::<usize>() == grad.len();
        Some((if fits { shape } else { vec![grad.len()] }, grad))
    });
    given.collect()
}

/// Returns the call that repeats an operation.
fn call_of(op: &Op) -> Option<Call> {
    Some(match op {
        Op::Mul => Call::Mul,
        Op::Add => Call::Add,
        Op::Div => Call::Div,
        Op::Scale(-1.0) => Call::Each("neg"),
        Op::Exp => Call::Each("exp"),
        Op::Log => Call::Each("log"),
        Op::Relu => Call::Each("relu"),
        Op::Tanh => Call::Each("tanh"),
        Op::Sigmoid => Call::Each("sigmoid"),
        Op::Gelu => Call::Each("gelu"),
        Op::Pow(number) => Call::Pow(*number),
        Op::Sum(axes, keep) => Call::Sum(axes.clone(), *keep),
        Op::Max(axes, keep) => Call::Max(axes.clone(), *keep),
        Op::Matmul => Call::Matmul,
        Op::Reshape(shape) => Call::Reshape(shape.clone()),
        Op::Permute(_) => Call::Transpose,
        Op::Softmax => Call::Softmax,
        Op::LogSoftmax => Call::LogSoftmax,
        _ => return None,
    })
}

/// Returns the ids of the leaves of a graph.
pub(crate) fn leaves(root: &Handle) -> impl Iterator<Item = u64> {
    let order = topological_order(root).into_iter();
    let leaves = order.filter(|it| (engine().parents)(it).is_empty());
    leaves.map(|it| (engine().id)(&it))
}

/// Returns the gradient of the leaf with this id.
pub(crate) fn grad(root: &Handle, leaf: u64) -> Option<Vec<f32>> {
    let order = topological_order(root);
    let leaf = order.iter().find(|it| (engine().id)(it) == leaf)?;
    (engine().grad)(leaf)
}
