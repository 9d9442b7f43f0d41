//! Where the memory of a step is, by the parts of a model. "How fast, and why"
//! looks.
//!
//! Reading order: [`memory`], [`MemoryOfPart`], [`MemoryOfParts`].

use std::sync::Arc;

use super::function::Node;
use super::io::{State, Value};
use super::nn::Module;
use super::record::graph;
use super::{Shared, Tensor};
use crate::draw::table;
use crate::scope;

/// Bytes that a part of a model holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryOfPart {
    /// The part, as its scope or its parameters are called.
    pub name: String,
    /// What is learned.
    pub parameters: usize,
    /// Their gradients.
    pub gradients: usize,
    /// What the optimizer remembers of them.
    pub optimizer: usize,
    /// What the graph keeps for its way back, parameters apart.
    pub kept: usize,
}

/// The memory of a model, part by part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryOfParts {
    /// In the order of the parameters, then of the graph.
    pub list: Vec<MemoryOfPart>,
}

// ANCHOR: memory
/// Counts the bytes of a model, of what its optimizer remembers, and of the
/// graph under a loss. Parts are told apart by their first `depth` names, and
/// what the graph keeps is of the part in whose [scope](crate::scope) it was
/// recorded, if the step is [watched](crate::scope::watch). Two that share
/// numbers hold them once.
pub fn memory(
    model: &dyn Module,
    optimizer: &dyn State,
    loss: &Tensor,
    depth: usize,
) -> MemoryOfParts {
    let mut parts = MemoryOfParts::default();
    let mut seen: Vec<Shared> = Vec::new();
    let mut bytes = |storage: &Shared| {
        if seen.iter().any(|known| Arc::ptr_eq(known, storage)) {
            return 0;
        }
        seen.push(storage.clone());
        storage.len() * storage.dtype().size()
    };
    let names: Vec<String> = model.parameters().into_iter().map(of).collect();
    for ((_, parameter), name) in model.parameters().iter().zip(&names) {
        let part = parts.part(name, depth);
        part.parameters += bytes(parameter.array().storage());
        if let Some(grad) = parameter.grad() {
            part.gradients += bytes(grad.array().storage());
        }
    }
    // An optimizer lists by the place of the parameter: `mean.0`, `mean.1`.
    for (name, value) in optimizer.state() {
        let Value::Tensor(tensor) = value else { continue };
        let place = name.rsplit('.').next().and_then(|at| at.parse().ok());
        let name = place.and_then(|at: usize| names.get(at));
        let part = parts.part(name.map_or("", String::as_str), depth);
        part.optimizer += bytes(tensor.array().storage());
    }
    let nodes: Vec<&Arc<Node>> = loss.node.iter().flat_map(graph).collect();
    for node in nodes {
        let name = scope::maker(node.id).unwrap_or_default();
        for storage in node.saved() {
            let kept = bytes(storage);
            if kept > 0 {
                parts.part(&name, depth).kept += kept;
            }
        }
    }
    parts
}
// ANCHOR_END: memory

/// Returns the name of the module of a parameter.
fn of((name, _): (String, &Tensor)) -> String {
    let part = name.rsplit_once('.').map(|(part, _)| part.to_string());
    part.unwrap_or(name)
}

impl MemoryOfParts {
    fn part(&mut self, name: &str, depth: usize) -> &mut MemoryOfPart {
        let name = scope::shortened(name, depth);
        let known = self.list.iter().position(|part| part.name == name);
        let at = known.unwrap_or_else(|| {
            let name = name.to_string();
            self.list.push(MemoryOfPart { name, ..MemoryOfPart::default() });
            self.list.len() - 1
        });
        &mut self.list[at]
    }

    /// Writes a table of bytes, with their sums.
    pub fn text(&self) -> String {
        let head = ["part", "parameters", "gradients", "optimizer", "kept"];
        let mut all = MemoryOfPart { name: "all".into(), ..Default::default() };
        let mut rows = vec![head.map(str::to_string)];
        for part in &self.list {
            all.parameters += part.parameters;
            all.gradients += part.gradients;
            all.optimizer += part.optimizer;
            all.kept += part.kept;
        }
        for part in self.list.iter().chain([&all]) {
            let name = if part.name.is_empty() { "(none)" } else { &part.name };
            let bytes =
                [part.parameters, part.gradients, part.optimizer, part.kept];
            let [a, b, c, d] = bytes.map(|bytes| bytes.to_string());
            rows.push([name.to_string(), a, b, c, d]);
        }
        for column in 1..head.len() {
            let width = |row: &[String; 5]| row[column].len();
            let widest = rows.iter().map(width).max().unwrap_or(0);
            for row in &mut rows {
                row[column] = format!("{:>widest$}", row[column]);
            }
        }
        table(&rows)
    }
}
