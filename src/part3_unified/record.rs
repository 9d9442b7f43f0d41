//! Converts the graph to plain records for a tape, as used in "Function and
//! its context".

use std::collections::HashMap;
use std::sync::Arc;

use super::function::Node;
use super::{Array, Shared, Tensor};
use crate::error::or_raise;
use crate::graph::topological_order;
use crate::ops::Op;
use crate::scope;
use crate::tape::Record;

/// Lists the root and all its ancestors, parents first.
pub(super) fn graph(root: &Arc<Node>) -> Vec<&Arc<Node>> {
    topological_order(root, |node| node.id, |node, k| node.parent(k))
}

/// Lists the storages that the graph of a tensor has saved for the backward
/// pass, each with the id of the node that saved it.
#[doc(hidden)]
pub fn saved_storages(tensor: &Tensor) -> Vec<(u64, Shared)> {
    let mut saved = Vec::new();
    for node in tensor.node.iter().flat_map(graph) {
        saved.extend(node.saved().map(|storage| (node.id, storage.clone())));
    }
    saved
}

/// Lists the records of a graph, parents first. An input without a node
/// appears as a constant if a trace has saved it.
pub(super) fn records(root: &Arc<Node>) -> Vec<Record> {
    let mut values: HashMap<u64, Array> = HashMap::new();
    let mut constants: Vec<(u64, Array)> = Vec::new();
    let mut records = Vec::new();
    for node in graph(root) {
        let (op, parents) = match (node.creator(), &node.traced) {
            (None, _) => (Op::Leaf, vec![]),
            (Some((function, ctx)), None) => {
                let ids = ctx.edges().map(|(_, parent)| parent.id);
                (function.op(), ids.collect())
            }
            (Some((function, _)), Some(call)) => {
                values.insert(node.id, call.output.clone());
                let ids = call.inputs.iter().map(|(id, array)| match id {
                    Some(id) => {
                        values.insert(*id, array.clone());
                        *id
                    }
                    None => constant(array, &mut constants, &mut records),
                });
                (function.op(), ids.collect())
            }
        };
        let shape = node.meta.shape();
        let part = scope::creator(node.id);
        let record = Record::new(node.id, op, parents, shape, None);
        records.push(Record { part, ..record });
    }
    for record in &mut records {
        let known = constants.iter().find(|(id, _)| *id == record.id);
        let array = values.get(&record.id).or(known.map(|(_, a)| a));
        record.values = array.map(|array| or_raise(array.read::<f32>()));
    }
    records
}

/// Returns the id of a constant on the tape, adding it if it is new. Two
/// arrays with the same storage and view are the same constant.
fn constant(
    array: &Array,
    constants: &mut Vec<(u64, Array)>,
    records: &mut Vec<Record>,
) -> u64 {
    let same = |(_, known): &&(u64, Array)| {
        known.shares_storage(array) && known.view() == array.view()
    };
    if let Some((id, _)) = constants.iter().find(same) {
        return *id;
    }
    // Node ids count up from 1; ids of constants count down from `u64::MAX`.
    let id = u64::MAX - constants.len() as u64;
    constants.push((id, array.clone()));
    let op = Op::Constant;
    records.push(Record::new(id, op, vec![], array.shape(), None));
    id
}
