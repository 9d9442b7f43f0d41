//! From gradients to better parameters, on whichever device they are.
//! "Modules and training anywhere" builds it.
//!
//! Reading order: [`Optimizer`], [`Sgd`], [`Adam`], [`AdamW`]; how far a step
//! goes, by [`Schedule`], and at most, by [`clip_grad_norm`].
//!
//! ```
//! use rungrad::part3_unified::nn::{Linear, Module};
//! use rungrad::part3_unified::optim::{Adam, Optimizer};
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
mod state;

pub use adam::{Adam, AdamW};
pub use clip::clip_grad_norm;
pub use schedule::{Schedule, Way};

use super::nn::{
    Parameter, ParameterMut, SharedParameter, distinct, first_places,
};
use super::{Array, Tensor, no_grad};
use crate::checks;
use crate::error::{mistake, or_raise};

/// Makes parameters better by their gradients, a step at a time.
///
/// What it remembers of the steps before belongs to one model for good, by
/// the order of its parameters. If the model has moved to another device, the
/// memory follows.
pub trait Optimizer: Send + Sync {
    /// Puts a new leaf, a better one, in the place of each parameter, once all
    /// are computed: a step that fails leaves every parameter as it was. The
    /// new leaves record and have no gradient. Tied weights, one leaf in
    /// several places, take one step and stay one leaf; [`distinct`] finds
    /// them.
    ///
    /// # Panics
    ///
    /// If a parameter has no gradient, if these are not the parameters of the
    /// steps before, or if a setting of the optimizer is one that its `new`
    /// refuses; then no parameter has changed.
    #[track_caller]
    fn step(&mut self, parameters: Vec<ParameterMut<'_>>);

    /// Sets how far the steps go from now on.
    ///
    /// # Panics
    ///
    /// If the rate is negative or not finite.
    #[doc(alias = "lr")]
    #[track_caller]
    fn set_learning_rate(&mut self, rate: f32);
}

/// Stochastic gradient descent with momentum: a step against the gradient,
/// and on in the direction of the steps before.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor};
/// # use rungrad::part3_unified::optim::{Optimizer, Sgd};
/// let mut x = Tensor::new(&[1], &[10.0], Device::Cpu)?.requires_grad();
/// (&x * 3.0).backward();
/// Sgd::new(0.5, 0.9).step(vec![("x".to_string(), &mut x)]);
/// assert_eq!(x.to_vec()?, [8.5]);
/// # Ok::<(), rungrad::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Sgd {
    /// How far a step goes.
    #[doc(alias = "lr")]
    pub learning_rate: f32,
    /// How much of the last step's velocity is kept, from 0 to below 1.
    pub momentum: f32,
    /// One for each parameter, from the first step on.
    velocity: Vec<Tensor>,
}

impl Sgd {
    /// Begins without velocity. Common values are a rate of 0.1 and a
    /// momentum of 0.9.
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
    /// Takes a step: `velocity = momentum * velocity + grad`, then
    /// `parameter = parameter - learning_rate * velocity`.
    ///
    /// A step puts a new leaf in the place of each parameter, as in Part 1.
    /// There the arithmetic was done on arrays, which never record; here it
    /// is done on tensors, which record unless they are told not to.
    #[track_caller]
    fn step(&mut self, parameters: Vec<ParameterMut<'_>>) {
        self.check("step");
        let mut parameters = distinct(parameters);
        let grads = gradients(&parameters);
        let zeros = |p: &SharedParameter| p.tensor().zeros_like();
        let before = match self.velocity.is_empty() {
            true => parameters.iter().map(zeros).collect(),
            false => self.velocity.clone(),
        };
        check_same(&before, &parameters);
        let next = no_grad(|| {
            let each = parameters.iter().zip(&before).zip(grads);
            each.map(|((parameter, before), grad)| {
                // If the model has moved, its velocity follows.
                let before = or_raise(before.to(grad.device()));
                let velocity = before * self.momentum + grad;
                let better =
                    parameter.tensor() + &velocity * -self.learning_rate;
                [better, velocity]
            })
            .collect::<Vec<_>>()
        });
        // A step that failed leaves everything as it was.
        let arrays = next.iter().flatten().map(Tensor::array);
        or_raise(Array::check_all(arrays));
        self.velocity.clear();
        for (parameter, [better, velocity]) in parameters.iter_mut().zip(next) {
            parameter.set(better.requires_grad());
            self.velocity.push(velocity);
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

/// Collects the gradient of each parameter. All are looked at before any is
/// used, so that a step is taken by all parameters or by none.
#[track_caller]
fn gradients(parameters: &[SharedParameter]) -> Vec<Tensor> {
    let mut grads = Vec::new();
    for parameter in parameters {
        grads.push(gradient("step", parameter.name(), parameter.tensor()));
    }
    grads
}

#[track_caller]
fn gradient(op: &str, name: &str, parameter: &Tensor) -> Tensor {
    parameter.grad().unwrap_or_else(|| {
        mistake(format!(
            "{op}: {name} has no gradient; call backward on a loss that was \
             computed from it, once for each step"
        ))
    })
}

/// Checks that the parameters are those of the step before: what an optimizer
/// remembers belongs to one of them for good.
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
