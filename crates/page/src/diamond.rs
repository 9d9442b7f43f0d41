//! The diamond of "One sweep", `e = (a * b) * b + a * b`: its rules are asked
//! in the order that the reader chooses, and the gradients may come out wrong.

use std::collections::BTreeMap;

use ndarray::ArrayD;
use rungrad::Error;
use rungrad::part1_cpu::Tensor;
use serde_json::{Value, json};

use crate::number;

/// The gradients that somebody has, by name.
type Grads = BTreeMap<char, ArrayD<f32>>;

/// Where a gradient is while it is on its way.
#[derive(Clone, Copy, PartialEq)]
enum Kept {
    /// In a map that gives it away: the finished engine.
    InAMap,
    /// At its tensor, and there it stays: step 4 of the notebook.
    AtTheTensor,
}

/// Answers an order such as `edcba`, in which a `+` begins another backward,
/// and `map` or `tensors`: what everybody has after each visit.
pub(crate) fn answer(words: &[&str]) -> Result<Value, Error> {
    let [order, kept] = words else {
        return Err(Error::Usage(
            "a diamond takes an order, and `map` or `tensors`".to_string(),
        ));
    };
    let kept = match *kept {
        "map" => Kept::InAMap,
        "tensors" => Kept::AtTheTensor,
        other => {
            return Err(Error::Usage(format!(
                "`{other}` keeps no gradients; write `map` or `tensors`"
            )));
        }
    };
    let nodes = nodes();
    let mut grads = Grads::new();
    begin(&nodes, &mut grads);
    let mut visits = vec![json!({ "grads": shown(&grads) })];
    for (at, name) in order.char_indices() {
        let said = match name {
            '+' => {
                // The map ends with the call; leaves keep what they have.
                if kept == Kept::InAMap {
                    grads.retain(|name, _| nodes[name].parents().is_empty());
                }
                begin(&nodes, &mut grads);
                json!(null)
            }
            _ => {
                let before = order[..at].rsplit('+').next();
                let again = before.is_some_and(|it| it.contains(name));
                visit(name, again, &nodes, &mut grads, kept)?
            }
        };
        visits.push(json!({
            "visited": name.to_string(), "gave": said, "grads": shown(&grads),
        }));
    }
    let right = sweeps(order.matches('+').count() + 1);
    Ok(json!({ "visits": visits, "right": right }))
}

/// Makes the five tensors, by name.
pub(crate) fn nodes() -> BTreeMap<char, Tensor> {
    let a = Tensor::new(&[1], &[2.0]);
    let b = Tensor::new(&[1], &[3.0]);
    let c = &a * &b;
    let d = &c * &b;
    let e = &d + &c;
    BTreeMap::from([('a', a), ('b', b), ('c', c), ('d', d), ('e', e)])
}

/// Writes the seed: the gradient of the result to itself.
fn begin(nodes: &BTreeMap<char, Tensor>, grads: &mut Grads) {
    grads.insert('e', ArrayD::ones(nodes[&'e'].shape()));
}

/// Lets a tensor pass on what it has, and says what it gave to whom. `again`:
/// it was visited in this backward before.
fn visit(
    name: char,
    again: bool,
    nodes: &BTreeMap<char, Tensor>,
    grads: &mut Grads,
    kept: Kept,
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
    if kept == Kept::InAMap {
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

/// Finds what so many backwards of the finished engine leave at the leaves.
fn sweeps(count: usize) -> Value {
    let nodes = nodes();
    (0..count).for_each(|_| nodes[&'e'].backward());
    let grad = |name| {
        let grad = nodes[&name].grad().expect("a leaf has its gradient");
        number(grad[0].into())
    };
    json!({ "a": grad('a'), "b": grad('b') })
}
