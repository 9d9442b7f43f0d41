//! Optimizers, which update parameters by their gradients on any device. Built
//! in "Modules and training anywhere".
//!
//! Reading order: [`Optimizer`], [`Sgd`], [`Adam`] and [`AdamW`]; [`Schedule`]
//! for learning rates; [`clip_grad_norm`] to limit gradients.
//!
//! ```
//! use rungrad::nn::{Linear, Module, Parameters};
//! use rungrad::optim::{Adam, Optimizer};
//! use rungrad::part3_unified::{Device, Tensor};
//! use rungrad::rng::Random;
//!
//! let x = Tensor::rand(&[32, 3], 1, Device::Cpu)?;
//! let y = &x * 2.0 - 1.0;
//! let mut layer = Linear::new(3, 3, &mut Random::new(0));
//! let mut adam = Adam::new(0.05);
//! for _ in 0..500 {
//!     layer.forward(&x).mse(&y).backward();
//!     adam.step(layer.parameters_mut());
//! }
//! assert!(layer.forward(&x).mse(&y).to_vec()?[0] < 1e-3);
//! # Ok::<(), rungrad::Error>(())
//! ```

mod adam;
mod clip;
mod schedule;
#[cfg(feature = "files")]
mod state;

pub use adam::{Adam, AdamW};
pub use clip::clip_grad_norm;
pub use schedule::{Schedule, Way};

use super::nn::{
    Parameter, ParameterMut, SharedParameter, distinct, first_places,
};
use crate::checks;
use crate::error::{mistake, or_raise};
use crate::part3_unified::{Array, Op, Tensor, no_grad};

/// Updates parameters by their gradients, one step at a time.
///
/// An optimizer's state belongs to the parameters of one model, in their
/// order. If the model has moved to another device, the state follows.
pub trait Optimizer: Send + Sync {
    /// Replaces each parameter by a new, updated leaf without a gradient. The
    /// parameters are only replaced after all of them have been computed: a
    /// step that fails changes nothing. Tied weights (one leaf in several
    /// fields) are updated once and stay one leaf; see [`distinct`].
    ///
    /// A parameter without a gradient is skipped: the loss did not depend on
    /// it, or it is frozen; see [`nn`](crate::nn).
    ///
    /// # Panics
    ///
    /// If no parameter has a gradient, if a parameter is not a leaf, if earlier
    /// steps had different parameters, or if a setting of the optimizer is
    /// invalid; then no parameter has changed.
    #[track_caller]
    fn step(&mut self, parameters: Vec<ParameterMut<'_>>);

    /// Sets the learning rate of the following steps.
    ///
    /// # Panics
    ///
    /// If the rate is negative or not finite.
    #[doc(alias = "lr")]
    #[track_caller]
    fn set_learning_rate(&mut self, rate: f32);
}

/// Stochastic gradient descent with momentum.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// # use rungrad::optim::{Optimizer, Sgd};
/// let mut x = Tensor::new(&[1], &[10.0], Device::Cpu)?.requires_grad();
/// (&x * 3.0).backward();
/// Sgd::new(0.5, 0.9).step(vec![("x".to_string(), &mut x)]);
/// assert_eq!(x.to_vec()?, [8.5]);
/// # Ok::<(), rungrad::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sgd {
    /// The learning rate.
    #[doc(alias = "lr")]
    pub learning_rate: f32,
    /// The fraction of the velocity that each step keeps, from 0 to below 1.
    pub momentum: f32,
    /// One velocity per parameter; empty before the first step.
    velocity: Vec<Tensor>,
}

impl Sgd {
    /// Creates an optimizer with no velocity. Common values are a learning
    /// rate of 0.1 and a momentum of 0.9.
    ///
    /// # Panics
    ///
    /// If the rate is negative or not finite, or the momentum is not from 0 to
    /// below 1.
    #[track_caller]
    pub fn new(learning_rate: f32, momentum: f32) -> Sgd {
        let sgd = Sgd { learning_rate, momentum, velocity: Vec::new() };
        sgd.check("Sgd");
        sgd
    }

    #[track_caller]
    fn check(&self, op: &str) {
        check_rate(op, self.learning_rate);
        or_raise(checks::kept_fraction(op, "momentum", self.momentum));
    }
}

// ANCHOR: step
impl Optimizer for Sgd {
    /// Updates the parameters: `velocity = momentum * velocity + grad`, then
    /// `parameter = parameter - learning_rate * velocity`.
    ///
    /// As in Part 1, each parameter is replaced by a new leaf. Part 1 computes
    /// it on arrays, which are never recorded; here it is computed on tensors,
    /// which are recorded unless `no_grad` prevents it.
    #[track_caller]
    fn step(&mut self, parameters: Vec<ParameterMut<'_>>) {
        self.check("step");
        let mut parameters = distinct(parameters);
        let named = parameters.iter().map(|it| (it.name(), it.tensor()));
        let grads = gradients("step", named);
        let zeros = |p: &SharedParameter| p.tensor().zeros_like();
        let before = match self.velocity.is_empty() {
            true => parameters.iter().map(zeros).collect(),
            false => self.velocity.clone(),
        };
        check_same(&before, &parameters);
        let next = no_grad(|| {
            let each = parameters.iter().zip(&before).zip(grads);
            each.map(|((parameter, before), grad)| {
                let grad = grad?;
                // If the model has moved, its velocity follows.
                let before = or_raise(before.to(grad.device()));
                let velocity = before * self.momentum + grad;
                let better =
                    parameter.tensor() + &velocity * -self.learning_rate;
                Some([better, velocity])
            })
            .collect::<Vec<_>>()
        });
        // Deferred errors surface here, before anything is replaced.
        let arrays = next.iter().flatten().flatten().map(Tensor::array);
        or_raise(Array::check_all(arrays));
        self.velocity = before;
        for (index, next) in next.into_iter().enumerate() {
            if let Some([better, velocity]) = next {
                parameters[index].set(better.requires_grad());
                self.velocity[index] = velocity;
            }
        }
    }
    // ANCHOR_END: step

    #[track_caller]
    fn set_learning_rate(&mut self, rate: f32) {
        check_rate("set_learning_rate", rate);
        self.learning_rate = rate;
    }
}

#[track_caller]
fn check_rate(op: &str, rate: f32) {
    or_raise(checks::not_negative(op, "learning rate", rate));
}

/// Returns the gradient of each parameter, or `None` for a parameter that is
/// skipped.
#[track_caller]
fn gradients<'a>(
    op: &str,
    parameters: impl Iterator<Item = (&'a str, &'a Tensor)>,
) -> Vec<Option<Tensor>> {
    let mut grads = Vec::new();
    for (name, parameter) in parameters {
        match parameter.op() {
            Op::Leaf | Op::Constant => grads.push(parameter.grad()),
            result => mistake(format!(
                "{op}: {name} is the result of {}, so it cannot be updated; \
                 replace it by a leaf with .detach().requires_grad()",
                result.name()
            )),
        }
    }
    if !grads.is_empty() && grads.iter().all(Option::is_none) {
        mistake(format!(
            "{op}: no parameter has a gradient; call backward on a loss that \
             was computed from them, once for each step"
        ));
    }
    grads
}

/// Checks that the shapes of the parameters are the same as in earlier steps,
/// because the optimizer's state belongs to them.
#[track_caller]
fn check_same<'a>(
    memory: impl IntoIterator<Item = &'a Tensor>,
    parameters: &[SharedParameter],
) {
    let before = memory.into_iter().map(Tensor::shape);
    if !before.eq(parameters.iter().map(|p| p.tensor().shape())) {
        mistake(
            "step: these are not the parameters of the steps before; make an \
             optimizer for each model"
                .to_string(),
        );
    }
}
