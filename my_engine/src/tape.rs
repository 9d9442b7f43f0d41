//! The graph of an engine of the reader's, read as a tape.
//!
//! Such an engine keeps gradients at its leaves only, and shows no rule. So
//! each operation is asked once more, on leaves of its own with the values of
//! its operands: what they get is what its rule gives. The gradients on their
//! way are then added up here.

use std::collections::{HashMap, HashSet};

use rungrad::ops::{Keep, Op};
use rungrad::tape::{Gradient, Record, Tape};

use crate::engine;
use crate::mine::{ORDER, call, is_at, known};
use crate::table::Handle;
use testkit::calls::Call;

/// Reads a graph in the order that the reader's engine gives it, once that has
/// its level, and until then in one of ours.
pub(crate) fn values(root: &Handle) -> Tape {
    let order = match is_at(ORDER) {
        true => (engine().graph)(root),
        false => walk(root),
    };
    Tape::new(order.iter().map(record).collect())
}

/// Reads a graph with its gradients, behind one sweep with this seed.
pub(crate) fn swept(root: &Handle, seed: &[f32]) -> Tape {
    let order = (engine().graph)(root);
    let mut tape = Tape::new(order.iter().map(record).collect());
    grade(&mut tape, &order, seed);
    tape
}

/// Cuts a tape where the judge does not know an operation: what it made is a
/// leaf for what comes behind it.
pub(crate) fn judged(mut tape: Tape) -> Tape {
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
            // A tape lives as long as the program, or ends it.
            None => Op::Custom(Box::leak(name.to_string().into_boxed_str())),
        },
    }
}

/// Lists a graph, parents first, whatever the reader's own order does.
fn walk(root: &Handle) -> Vec<Handle> {
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

fn grade(tape: &mut Tape, order: &[Handle], seed: &[f32]) {
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
        let given = rule(&record, &operands, &grad_out);
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

/// Asks an operation alone what it gives to each operand.
fn rule(
    record: &Record,
    operands: &[Handle],
    grad_out: &[f32],
) -> Vec<Option<Gradient>> {
    let table = engine();
    let copy =
        |it: &Handle| (table.new)(&(table.shape)(it), &(table.to_vec)(it));
    let leaves: Vec<Handle> = operands.iter().map(copy).collect();
    let borrowed: Vec<&Handle> = leaves.iter().collect();
    let again = again(&record.op).and_then(|it| call(&it, &borrowed));
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

/// Finds the call that makes an operation.
fn again(op: &Op) -> Option<Call> {
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

/// Returns what the leaf of this number has gathered.
pub(crate) fn grad(root: &Handle, leaf: u64) -> Option<Vec<f32>> {
    let order = walk(root);
    let leaf = order.iter().find(|it| (engine().id)(it) == leaf)?;
    (engine().grad)(leaf)
}
