//! Stochastic gradient descent, built in "Downhill".

use ndarray::ArrayD;

use super::Tensor;
use super::nn::Parameter;
use crate::checks;
use crate::error::{mistake, or_raise};

// ANCHOR: sgd
/// Stochastic gradient descent with momentum: each step goes against a
/// decaying sum of the gradients so far.
pub struct Sgd {
    /// The factor by which the velocity is multiplied to get the step.
    pub learning_rate: f32,
    /// The fraction of the previous velocity that is kept, in `0.0..1.0`.
    pub momentum: f32,
    /// One array per parameter; empty before the first step.
    velocity: Vec<ArrayD<f32>>,
}
// ANCHOR_END: sgd

impl Sgd {
    /// Creates an optimizer with zero velocity. Common values are a learning
    /// rate of 0.1 and a momentum of 0.9.
    ///
    /// # Panics
    ///
    /// If the learning rate is negative or not finite, or the momentum is not
    /// in `0.0..1.0`.
    #[track_caller]
    pub fn new(learning_rate: f32, momentum: f32) -> Sgd {
        or_raise(checks::not_negative("Sgd", "learning rate", learning_rate));
        or_raise(checks::kept_fraction("Sgd", "momentum", momentum));
        Sgd { learning_rate, momentum, velocity: Vec::new() }
    }
}

// ANCHOR: step
impl Sgd {
    /// Updates every parameter: `velocity = momentum * velocity + grad`, then
    /// `parameter = parameter - learning_rate * velocity`.
    ///
    /// The data of a tensor never changes, because rules hold references to
    /// it. A step therefore replaces each parameter by a new leaf. It computes
    /// on arrays, so nothing is recorded: the new leaf has no parents, and the
    /// graph of the previous step is freed with its last handle. The new leaf
    /// has no gradient, so calling `zero_grad` is not necessary.
    #[track_caller]
    pub fn step(&mut self, mut parameters: Vec<Parameter<'_>>) {
        if self.velocity.is_empty() {
            let zeros = |(_, p): &Parameter| ArrayD::zeros(p.shape());
            self.velocity = parameters.iter().map(zeros).collect();
        }
        check_same(&self.velocity, &parameters);
        let pairs = parameters.iter_mut().zip(&mut self.velocity);
        for ((name, parameter), velocity) in pairs {
            let Some(grad) = parameter.grad() else {
                mistake(format!(
                    "step: {name} has no gradient; call backward on a loss \
                     that was computed from it, once for each step"
                ))
            };
            *velocity = &*velocity * self.momentum + grad;
            let updated = &*parameter.data() - &*velocity * self.learning_rate;
            **parameter = Tensor::from(updated);
        }
    }
}
// ANCHOR_END: step

/// Checks that the parameters have the shapes of the previous step's, because
/// each velocity belongs to one parameter.
#[track_caller]
fn check_same(velocity: &[ArrayD<f32>], parameters: &[Parameter]) {
    let before = velocity.iter().map(|v| v.shape());
    if !before.eq(parameters.iter().map(|(_, p)| p.shape())) {
        mistake(
            "step: these are not the parameters of the steps before; make an \
             optimizer for each network"
                .to_string(),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Error, attempt, ledger};

    /// Takes one step on `loss = 3 x`, whose gradient is 3 everywhere.
    fn step(sgd: &mut Sgd, x: &mut Tensor) -> f32 {
        (&*x * 3.0).backward();
        sgd.step(vec![("x".to_string(), x)]);
        x.to_vec()[0]
    }

    #[test]
    fn momentum_accumulates_steps() {
        let mut x = Tensor::new(&[1], &[10.0]);
        let mut sgd = Sgd::new(0.5, 0.0);
        assert_eq!(step(&mut sgd, &mut x), 8.5);
        assert_eq!(step(&mut sgd, &mut x), 7.0);

        let mut x = Tensor::new(&[1], &[10.0]);
        let mut sgd = Sgd::new(0.5, 0.5);
        // The velocities are 3, 4.5 and 5.25.
        assert_eq!(step(&mut sgd, &mut x), 8.5);
        assert_eq!(step(&mut sgd, &mut x), 6.25);
        assert_eq!(step(&mut sgd, &mut x), 3.625);
    }

    #[test]
    fn invalid_optimizer_settings_are_rejected() {
        for (rate, momentum, name) in [
            (f32::NAN, 0.0, "learning rate is NaN"),
            (f32::INFINITY, 0.0, "learning rate is inf"),
            (-0.5, 0.0, "learning rate is -0.5"),
            (0.5, f32::NAN, "momentum is NaN"),
            (0.5, -0.5, "momentum is -0.5"),
            (0.5, 1.0, "momentum is 1"),
        ] {
            let rejected = attempt(|| Sgd::new(rate, momentum)).err().unwrap();
            let start = format!("Sgd: the {name}; give a ");
            assert!(rejected.to_string().starts_with(&start), "{rejected}");
        }
    }

    #[test]
    fn a_step_creates_leaves_without_gradients() {
        let mut x = Tensor::new(&[1], &[10.0]);
        let loss = &x * 3.0;
        loss.backward();
        Sgd::new(0.5, 0.0).step(vec![("x".to_string(), &mut x)]);
        assert_eq!((x.op(), x.parents().len()), ("leaf", 0));
        assert_eq!(x.grad(), None);
        // The graph of the loss still holds the old parameter.
        assert_eq!(loss.parents()[0].to_vec(), [10.0]);
    }

    #[test]
    fn steps_leave_one_leaf() {
        let mut sgd = Sgd::new(0.01, 0.9);
        let mut x = Tensor::new(&[1], &[10.0]);
        let ((), counts) = ledger::measure(|| {
            for _ in 0..100 {
                step(&mut sgd, &mut x);
            }
        });
        // Each step creates the result of the multiplication and a new leaf.
        // The initial leaf was created before the measurement but is freed in
        // it, which makes up for the last leaf.
        assert_eq!((counts.nodes, counts.nodes_freed), (200, 200));
    }

    #[test]
    fn a_step_without_gradients_is_rejected() {
        let mut x = Tensor::new(&[1], &[10.0]);
        let mut sgd = Sgd::new(0.5, 0.0);
        step(&mut sgd, &mut x);
        let rejected = attempt(|| sgd.step(vec![("x".to_string(), &mut x)]));
        let Err(Error::Mistake(sentence)) = rejected else { panic!() };
        assert!(sentence.starts_with("step: x has no gradient"), "{sentence}");
    }

    #[test]
    fn parameters_of_another_network_are_rejected() {
        let mut x = Tensor::new(&[1], &[10.0]);
        let mut sgd = Sgd::new(0.5, 0.0);
        step(&mut sgd, &mut x);
        let mut other = Tensor::new(&[2], &[1.0, 2.0]);
        let rejected =
            attempt(|| sgd.step(vec![("other".to_string(), &mut other)]));
        assert!(matches!(rejected, Err(Error::Mistake(_))));
        assert!(attempt(|| sgd.step(vec![])).is_err());
    }
}
