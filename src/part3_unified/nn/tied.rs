//! Tied weights: a leaf that several fields of a model hold is one parameter.

use std::collections::{HashMap, HashSet};

use super::{Module, Parameter, ParameterMut, Tensor};

/// One parameter, with every place of the model that holds it.
///
/// Most parameters have one place. Tied weights have several: two fields that
/// hold clones of one leaf, such as an embedding whose table is also the
/// weight of the last layer.
pub struct SharedParameter<'a> {
    names: Vec<String>,
    places: Vec<&'a mut Tensor>,
}

impl SharedParameter<'_> {
    /// Returns the name of its first place.
    pub fn name(&self) -> &str {
        &self.names[0]
    }

    /// Returns the names of all its places, in the order of the model.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the leaf that all places hold.
    pub fn tensor(&self) -> &Tensor {
        self.places[0]
    }

    /// Puts one new leaf into every place, so that tied weights stay tied.
    pub fn set(&mut self, leaf: Tensor) {
        for place in &mut self.places {
            **place = leaf.clone();
        }
    }
}

/// Groups the places of a model by the leaf that they hold, in the order of
/// the first place of each leaf.
///
/// An optimizer of your own begins with it. Otherwise tied weights would take
/// two steps and be two parameters afterwards.
///
/// ```
/// use rungrad::part3_unified::nn::{ParameterMut, distinct};
/// use rungrad::part3_unified::optim::Optimizer;
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
        // A tensor that does not record has no id and is tied to no other.
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
pub(in crate::part3_unified) fn first_places<'a>(
    parameters: &[Parameter<'a>],
) -> Vec<Parameter<'a>> {
    let mut seen = HashSet::new();
    let mut parameters = parameters.to_vec();
    parameters.retain(|(_, p)| p.id().is_none_or(|id| seen.insert(id)));
    parameters
}

/// Replaces parameters, in the order of [`distinct`], and buffers. Where there
/// is `None`, the old one stays.
pub(in crate::part3_unified) fn set_all<M: Module + ?Sized>(
    module: &mut M,
    leaves: Vec<Option<Tensor>>,
    buffers: Vec<Option<Tensor>>,
) {
    let parameters = distinct(module.parameters_mut()).into_iter();
    for (mut parameter, leaf) in parameters.zip(leaves) {
        if let Some(leaf) = leaf {
            parameter.set(leaf.requires_grad());
        }
    }
    for ((_, buffer), tensor) in module.buffers().into_iter().zip(buffers) {
        if let Some(tensor) = tensor {
            buffer.set(tensor);
        }
    }
}
