//! The diamond of "One backward pass", `e = (a * b) * b + a * b`. It applies the rules
//! in the order that the reader chooses, so the gradients may be wrong.

use std::collections::BTreeMap;

use ndarray::ArrayD;
use rungrad::Error;
use rungrad::part1_cpu::Tensor;
use serde_json::{Value, json};

use crate::number;

/// The gradients that have been computed so far, by name.
type Grads = BTreeMap<char, ArrayD<f32>>;

/// Where the gradients are kept during a backward pass.
#[derive(Clone, Copy, PartialEq)]
enum Storage {
    /// In a map, from which they are removed when they are passed on, as in
    /// the finished engine.
    Map,
    /// At the tensors, where they stay, as in step 4 of the notebook.
    Tensors,
}

/// Answers an order such as `edcba`, in which a `+` begins another backward
/// pass, and `map` or `tensors`. Returns all gradients after each visit.
pub(crate) fn answer(words: &[&str]) -> Result<Value, Error> {
    let [order, storage] = words else {
        return Err(Error::Usage(
            "a diamond takes an order, and `map` or `tensors`".to_string(),
        ));
    };
    let storage = match *storage {
        "map" => Storage::Map,
        "tensors" => Storage::Tensors,
        other => {
            return Err(Error::Usage(format!(
                "`{other}` keeps no gradients; write `map` or `tensors`"
            )));
        }
    };
    let nodes = nodes();
    let mut grads = Grads::new();
    seed(&nodes, &mut grads);
    let mut visits = vec![json!({ "grads": shown(&grads) })];
    for (at, name) in order.char_indices() {
        let said = match name {
            '+' => {
                // The map is dropped after the call, but leaves keep their
                // gradients.
                if storage == Storage::Map {
                    grads.retain(|name, _| nodes[name].parents().is_empty());
                }
                seed(&nodes, &mut grads);
                json!(null)
            }
            _ => {
                let before = order[..at].rsplit('+').next();
                let again = before.is_some_and(|it| it.contains(name));
                visit(name, again, &nodes, &mut grads, storage)?
            }
        };
        visits.push(json!({
            "visited": name.to_string(), "gave": said, "grads": shown(&grads),
        }));
    }
    let right = leaf_gradients(order.matches('+').count() + 1);
    Ok(json!({ "visits": visits, "right": right }))
}

/// Creates the five tensors, by name.
pub(crate) fn nodes() -> BTreeMap<char, Tensor> {
    let a = Tensor::new(&[1], &[2.0]);
    let b = Tensor::new(&[1], &[3.0]);
    let c = &a * &b;
    let d = &c * &b;
    let e = &d + &c;
    BTreeMap::from([('a', a), ('b', b), ('c', c), ('d', d), ('e', e)])
}

/// Inserts the gradient of the result with respect to itself.
fn seed(nodes: &BTreeMap<char, Tensor>, grads: &mut Grads) {
    grads.insert('e', ArrayD::ones(nodes[&'e'].shape()));
}

/// Passes the gradient of a tensor on to its operands, and returns what each
/// received. `again` is true if it was already visited in this backward pass.
fn visit(
    name: char,
    again: bool,
    nodes: &BTreeMap<char, Tensor>,
    grads: &mut Grads,
    storage: Storage,
) -> Result<Value, Error> {
    let Some(tensor) = nodes.get(&name) else {
        return Err(Error::Usage(format!("there is no tensor `{name}`")));
    };
    let Some(grad) = grads.get(&name).cloned() else {
        let why = match again {
            true => "has passed on what it had, and keeps nothing",
            false => "has no gradient yet; visit first what was made of it",
        };
        return Err(Error::Usage(format!("{name} {why}")));
    };
    let Some(parts) = tensor.apply_rule(&grad) else {
        return Ok(json!([]));
    };
    if storage == Storage::Map {
        grads.remove(&name);
    }
    let mut gave = Vec::new();
    for (parent, part) in tensor.parents().iter().zip(parts) {
        let named = nodes.iter().find(|(_, node)| node.id() == parent.id());
        let (&to, _) = named.expect("every parent has a name");
        gave.push(json!([to.to_string(), number(part[0].into())]));
        match grads.get_mut(&to) {
            Some(sum) => *sum += &part,
            None => {
                grads.insert(to, part);
            }
        }
    }
    Ok(json!(gave))
}

fn shown(grads: &Grads) -> Value {
    let shown = |(name, grad): (&char, &ArrayD<f32>)| {
        (name.to_string(), number(grad[0].into()))
    };
    grads.iter().map(shown).collect::<serde_json::Map<_, _>>().into()
}

/// Returns the gradients of the leaves after `count` backward passes of the
/// finished engine.
fn leaf_gradients(count: usize) -> Value {
    let nodes = nodes();
    (0..count).for_each(|_| nodes[&'e'].backward());
    let grad = |name| {
        let grad = nodes[&name].grad().expect("a leaf has its gradient");
        number(grad[0].into())
    };
    json!({ "a": grad('a'), "b": grad('b') })
}
