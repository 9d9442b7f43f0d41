//! Reports how much memory each part of a model uses in a training step, as in
//! "Inside a step".
//!
//! Reading order: [`memory`], [`MemoryOfPart`], [`MemoryOfParts`].

use std::sync::Arc;

use super::io::{State, Value};
use super::nn::Parameters;
use crate::draw::table;
use crate::part3_unified::{Shared, Tensor, saved_storages};
use crate::scope;

/// The bytes held by one part of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryOfPart {
    /// The name of the part's scope, or the common prefix of its parameters'
    /// names.
    pub name: String,
    /// The parameters.
    pub parameters: usize,
    /// The gradients of the parameters.
    pub gradients: usize,
    /// The optimizer's state for these parameters, such as Adam's running
    /// means.
    pub optimizer: usize,
    /// Values saved in the graph for the backward pass, without the
    /// parameters.
    pub kept: usize,
}

/// The memory of a model, part by part.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryOfParts {
    /// In the order of the parameters; parts that appear only in the graph
    /// follow.
    pub list: Vec<MemoryOfPart>,
}

/// Counts the bytes of a model, of its optimizer's state, and of the values
/// saved in the graph of `loss`. Parts are grouped by the first `depth`
/// components of their names. A saved value counts toward the part in whose
/// scope (`rungrad::scope::scope`) it was recorded, if the step is watched
/// (`rungrad::scope::watch`). Memory shared by several tensors is counted once.
pub fn memory(
    model: &dyn Parameters,
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
    let names: Vec<String> =
        model.parameters().into_iter().map(module_name).collect();
    for ((_, parameter), name) in model.parameters().iter().zip(&names) {
        let part = parts.part(name, depth);
        part.parameters += bytes(parameter.array().storage());
        if let Some(grad) = parameter.grad() {
            part.gradients += bytes(grad.array().storage());
        }
    }
    // The optimizer names its state by the parameter's index: `mean.0`,
    // `mean.1`.
    for (name, value) in optimizer.state() {
        let Value::Tensor(tensor) = value else { continue };
        let index =
            name.rsplit('.').next().and_then(|index| index.parse().ok());
        let name = index.and_then(|index: usize| names.get(index));
        let part = parts.part(name.map_or("", String::as_str), depth);
        part.optimizer += bytes(tensor.array().storage());
    }
    for (node, storage) in saved_storages(loss) {
        let kept = bytes(&storage);
        if kept > 0 {
            let name = scope::creator(node).unwrap_or_default();
            parts.part(&name, depth).kept += kept;
        }
    }
    parts
}

/// Returns the name of the module that owns a parameter.
fn module_name((name, _): (String, &Tensor)) -> String {
    let part = name.rsplit_once('.').map(|(part, _)| part.to_string());
    part.unwrap_or(name)
}

impl MemoryOfParts {
    fn part(&mut self, name: &str, depth: usize) -> &mut MemoryOfPart {
        let name = scope::shortened(name, depth);
        let known = self.list.iter().position(|part| part.name == name);
        let index = known.unwrap_or_else(|| {
            let name = name.to_string();
            self.list.push(MemoryOfPart { name, ..MemoryOfPart::default() });
            self.list.len() - 1
        });
        &mut self.list[index]
    }

    /// Formats the byte counts and their sums as a table.
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
