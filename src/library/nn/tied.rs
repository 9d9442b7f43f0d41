//! Tied weights: a leaf that several fields of a model share is one parameter.

use std::collections::{HashMap, HashSet};

use super::{Parameter, ParameterMut, Parameters, Tensor};

/// A parameter, with all fields of the model that hold it.
///
/// Most parameters have one field. Tied weights have several, which hold
/// clones of one leaf, such as an embedding table that is also the weight of
/// the last layer.
pub struct SharedParameter<'a> {
    names: Vec<String>,
    places: Vec<&'a mut Tensor>,
}

impl SharedParameter<'_> {
    /// Returns the name of the first field.
    pub fn name(&self) -> &str {
        &self.names[0]
    }

    /// Returns the names of all fields, in the order of the model.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the leaf that all fields hold.
    pub fn tensor(&self) -> &Tensor {
        self.places[0]
    }

    /// Replaces the leaf in every field, so that tied weights stay tied.
    pub fn set(&mut self, leaf: Tensor) {
        for place in &mut self.places {
            **place = leaf.clone();
        }
    }
}

/// Groups the fields of a model by the leaf that they hold, in the order of
/// the first field of each leaf.
///
/// Every optimizer must do this first. Otherwise tied weights would be updated
/// twice and become separate parameters.
///
/// ```
/// use rungrad::nn::{ParameterMut, distinct};
/// use rungrad::optim::Optimizer;
/// use rungrad::part3_unified::{Device, Tensor, no_grad};
///
/// struct Descent(f32);
///
/// impl Optimizer for Descent {
///     fn step(&mut self, parameters: Vec<ParameterMut<'_>>) {
///         for mut parameter in distinct(parameters) {
///             let old = parameter.tensor();
///             let grad = old.grad().expect("call backward first");
///             let new = no_grad(|| old - grad * self.0);
///             parameter.set(new.requires_grad());
///         }
///     }
///
///     fn set_learning_rate(&mut self, rate: f32) {
///         self.0 = rate;
///     }
/// }
///
/// let mut a = Tensor::new(&[1], &[3.0], Device::Cpu)?.requires_grad();
/// let mut b = a.clone();
/// (&a * &b).backward();
/// let places = vec![("a".to_string(), &mut a), ("b".to_string(), &mut b)];
/// Descent(0.5).step(places);
/// assert_eq!(a.to_vec()?, [0.0]);
/// assert_eq!(a.id(), b.id());
/// # Ok::<(), rungrad::Error>(())
/// ```
// ANCHOR: distinct
pub fn distinct(parameters: Vec<ParameterMut<'_>>) -> Vec<SharedParameter<'_>> {
    let mut distinct: Vec<SharedParameter> = Vec::new();
    let mut index_of = HashMap::new();
    for (name, place) in parameters {
        // A tensor outside the graph has no id and is never tied.
        let next = distinct.len();
        let index = match place.id() {
            Some(id) => *index_of.entry(id).or_insert(next),
            None => next,
        };
        if index == next {
            distinct.push(SharedParameter { names: vec![], places: vec![] });
        }
        distinct[index].names.push(name);
        distinct[index].places.push(place);
    }
    distinct
}
// ANCHOR_END: distinct

/// Lists each leaf once, under its first name.
pub(crate) fn first_places<'a>(
    parameters: &[Parameter<'a>],
) -> Vec<Parameter<'a>> {
    let mut seen = HashSet::new();
    let mut parameters = parameters.to_vec();
    parameters.retain(|(_, p)| p.id().is_none_or(|id| seen.insert(id)));
    parameters
}

/// Replaces parameters, in the order of [`distinct`], and buffers. `None`
/// leaves the old tensor.
pub(crate) fn set_all<M: Parameters + ?Sized>(
    module: &mut M,
    leaves: Vec<Option<Tensor>>,
    buffers: Vec<Option<Tensor>>,
) {
    let parameters = distinct(module.parameters_mut()).into_iter();
    for (mut parameter, leaf) in parameters.zip(leaves) {
        if let Some(leaf) = leaf {
            // A frozen parameter stays frozen.
            parameter.set(match parameter.tensor().records() {
                true => leaf.requires_grad(),
                false => leaf,
            });
        }
    }
    for ((_, buffer), tensor) in module.buffers().into_iter().zip(buffers) {
        if let Some(tensor) = tensor {
            buffer.set(tensor);
        }
    }
}
