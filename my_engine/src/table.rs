//! The functions of the reader's engine, with its tensor type erased.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any, resume_unwind};
use std::rc::Rc;

use rungrad::ops::Keep;
use rungrad::rng::Random;

/// Holds one of the reader's tensors, or a network.
#[derive(Clone)]
pub struct Handle(Rc<dyn Any>);

impl Handle {
    /// Wraps a tensor.
    pub fn new<T: 'static>(tensor: T) -> Handle {
        Handle(Rc::new(tensor))
    }

    /// Returns the tensor as its own type.
    pub fn get<T: 'static>(&self) -> &T {
        self.0.downcast_ref().expect("a program has one type of tensor")
    }
}

/// An operation of one operand.
pub type One = fn(&Handle) -> Handle;
/// An operation of two operands.
pub type Two = fn(&Handle, &Handle) -> Handle;
/// A reduction over some axes.
pub type Over = fn(&Handle, &[usize], Keep) -> Handle;
/// An operation with a list of integers: a shape, or labels.
pub type Many = fn(&Handle, &[usize]) -> Handle;

/// The functions of an engine. A function that the reader has not written yet
/// calls [`lacks`].
pub struct Table {
    /// Creates a leaf from a shape and values.
    pub new: fn(&[usize], &[f32]) -> Handle,
    /// Returns the size along each axis.
    pub shape: fn(&Handle) -> Vec<usize>,
    /// Returns the elements in row-major order.
    pub to_vec: fn(&Handle) -> Vec<f32>,
    /// Returns an id that no other tensor has.
    pub id: fn(&Handle) -> u64,
    /// Returns the name of the operation that made the tensor.
    pub op: fn(&Handle) -> String,
    /// Returns the operands in order.
    pub parents: fn(&Handle) -> Vec<Handle>,
    /// Returns the graph, parents first.
    pub graph: fn(&Handle) -> Vec<Handle>,
    /// Returns the gradient accumulated in a leaf.
    pub grad: fn(&Handle) -> Option<Vec<f32>>,
    /// Clears the gradient.
    pub zero_grad: fn(&Handle),
    /// Runs backward from a tensor with one element.
    pub backward: fn(&Handle),
    /// Runs backward with an upstream gradient.
    pub backward_with: fn(&Handle, &Handle),
    /// The operations of one operand, by name.
    pub one: &'static [(&'static str, One)],
    /// The operations of two operands, by name.
    pub two: &'static [(&'static str, Two)],
    /// The reductions over some axes, by name.
    pub over: &'static [(&'static str, Over)],
    /// The operations with a list of integers, by name.
    pub many: &'static [(&'static str, Many)],
    /// Raises to a power.
    pub pow: fn(&Handle, f32) -> Handle,
    /// Creates a network with layers of these sizes.
    pub network: fn(&[usize], &mut Random) -> Handle,
    /// Computes the outputs of a network.
    pub forward: Two,
    /// Returns the parameters of a network.
    pub parameters: fn(&Handle) -> Vec<Handle>,
    /// Takes an optimizer step with a learning rate and a momentum.
    pub step: fn(&Handle, f32, f32),
}

/// Returns the function of this name.
pub(crate) fn find<F: Copy>(list: &[(&str, F)], name: &str) -> Option<F> {
    list.iter().find(|(known, _)| *known == name).map(|(_, f)| *f)
}

/// The panic payload of a function that the reader has not written yet: its
/// name.
pub(crate) struct Missing(pub(crate) &'static str);

/// Panics because the engine has no such function.
pub fn lacks(name: &'static str) -> ! {
    panic_any(Missing(name))
}

/// Runs `work`, or returns `None` if the engine lacks a function it needs.
pub(crate) fn if_written<T>(work: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(done) => Some(done),
        Err(payload) if payload.is::<Missing>() => None,
        Err(payload) => resume_unwind(payload),
    }
}
