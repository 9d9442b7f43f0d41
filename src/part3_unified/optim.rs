//! From gradients to better parameters, on whichever device they are.
//! Chapter 27 builds it.

use super::nn::Parameter;
use super::{Tensor, no_grad};
use crate::error::{mistake, or_raise};

/// Stochastic gradient descent with momentum: a step against the gradient,
/// and on in the direction of the steps before.
pub struct Sgd {
    /// How far a step goes.
    pub rate: f32,
    /// How much of the last step's velocity is kept, from 0 to below 1.
    pub momentum: f32,
    /// One for each parameter, from the first step on.
    velocity: Vec<Tensor>,
}

impl Sgd {
    /// Common values are a rate of 0.1 and a momentum of 0.9.
    pub fn new(rate: f32, momentum: f32) -> Sgd {
        Sgd { rate, momentum, velocity: Vec::new() }
    }
}

// ANCHOR: step
impl Sgd {
    /// `velocity = momentum * velocity + grad`, then
    /// `parameter = parameter - rate * velocity`.
    ///
    /// A step puts a new leaf in the place of each parameter, as in Part 1.
    /// There the arithmetic was done on arrays, which never record; here it
    /// is done on tensors, which record unless they are told not to.
    #[track_caller]
    pub fn step(&mut self, parameters: Vec<Parameter<'_>>) {
        if self.velocity.is_empty() {
            let zeros = |(_, p): &Parameter| p.zeros();
            self.velocity = parameters.iter().map(zeros).collect();
        }
        check_same(&self.velocity, &parameters);
        let pairs = parameters.into_iter().zip(&mut self.velocity);
        for ((name, parameter), velocity) in pairs {
            let Some(grad) = parameter.grad() else {
                mistake(format!(
                    "step: {name} has no gradient; call backward on a loss \
                     that was computed from it, once for each step"
                ))
            };
            let better = no_grad(|| {
                // If the model has moved, its velocity follows.
                let last = or_raise(velocity.to(grad.device()));
                *velocity = last * self.momentum + grad;
                &*parameter + &*velocity * -self.rate
            });
            *parameter = better.requires_grad();
        }
    }
}
// ANCHOR_END: step

/// A velocity belongs to one parameter for good.
#[track_caller]
fn check_same(velocity: &[Tensor], parameters: &[Parameter]) {
    let before = velocity.iter().map(Tensor::shape);
    if !before.eq(parameters.iter().map(|(_, p)| p.shape())) {
        mistake(
            "step: these are not the parameters of the steps before; make an \
             optimizer for each model"
                .to_string(),
        );
    }
}
