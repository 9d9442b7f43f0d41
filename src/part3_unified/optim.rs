//! From gradients to better parameters, on whichever device they are.
//! "Modules and training anywhere" builds it.
//!
//! Reading order: [`Optimizer`], [`Sgd`], [`Adam`], [`AdamW`].
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

use super::nn::ParameterMut;
use super::{Tensor, no_grad};
use crate::error::{mistake, or_raise};

/// Makes parameters better by their gradients, a step at a time.
///
/// What it remembers of the steps before belongs to one model for good, by
/// the order of its parameters. If the model has moved to another device, the
/// memory follows.
pub trait Optimizer: Send + Sync {
    /// Puts a new leaf, a better one, in the place of each parameter. The new
    /// leaves record and have no gradient.
    ///
    /// # Panics
    ///
    /// If a parameter has no gradient, or these are not the parameters of
    /// the steps before; then no parameter has changed.
    #[track_caller]
    fn step(&mut self, parameters: Vec<ParameterMut<'_>>);
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
    pub fn new(learning_rate: f32, momentum: f32) -> Sgd {
        Sgd { learning_rate, momentum, velocity: Vec::new() }
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
        let grads = gradients(&parameters);
        if self.velocity.is_empty() {
            let zeros = |(_, p): &ParameterMut| p.zeros_like();
            self.velocity = parameters.iter().map(zeros).collect();
        }
        check_same(&self.velocity, &parameters);
        let pairs = parameters.into_iter().zip(&mut self.velocity);
        for (((_, parameter), velocity), grad) in pairs.zip(grads) {
            let better = no_grad(|| {
                // If the model has moved, its velocity follows.
                let last = or_raise(velocity.to(grad.device()));
                *velocity = last * self.momentum + grad;
                &*parameter + &*velocity * -self.learning_rate
            });
            *parameter = better.requires_grad();
        }
    }
}
// ANCHOR_END: step

/// Adam: a step for each number as long as its own gradients allow. Their
/// running mean says where to, and the root of their running mean square how
/// unsure that is.
///
/// It is PyTorch's `Adam` without `weight_decay`, for which [`AdamW`] is the
/// better formula.
#[derive(Clone, Debug)]
pub struct Adam {
    /// How far a step goes, at most and about.
    #[doc(alias = "lr")]
    pub learning_rate: f32,
    /// How much of the running mean and of the running mean square is kept,
    /// each from 0 to below 1. They are `f64`, because `1 - 0.999` in `f32`
    /// is wrong in its fifth digit.
    pub betas: [f64; 2],
    /// What is added to the root, so that nothing is divided by 0.
    #[doc(alias = "eps")]
    pub epsilon: f32,
    /// The steps that were taken.
    steps: u32,
    /// Mean and mean square for each parameter, from the first step on.
    moments: Vec<[Tensor; 2]>,
}

impl Adam {
    /// Begins without a memory, with PyTorch's betas, 0.9 and 0.999, and its
    /// epsilon, 1e-8. A common rate is 0.001.
    ///
    /// ```
    /// # use rungrad::part3_unified::optim::Adam;
    /// let mut adam = Adam::new(1e-3);
    /// adam.betas = [0.9, 0.95];
    /// ```
    pub fn new(learning_rate: f32) -> Adam {
        let (betas, epsilon) = ([0.9, 0.999], 1e-8);
        Adam { learning_rate, betas, epsilon, steps: 0, moments: Vec::new() }
    }
}

// ANCHOR: adam
impl Optimizer for Adam {
    /// Takes a step: `mean = b1 * mean + (1 - b1) * grad`, the same of the
    /// squares with `b2`, then
    /// `parameter = parameter - learning_rate * mean / (root + epsilon)`.
    ///
    /// Both began at 0 and are too small by what `b^steps` says; what they
    /// are divided by makes up for it.
    #[track_caller]
    fn step(&mut self, parameters: Vec<ParameterMut<'_>>) {
        self.decaying_step(parameters, 0.0);
    }
}

impl Adam {
    /// Does the same after each parameter has lost its share of itself.
    #[track_caller]
    fn decaying_step(&mut self, parameters: Vec<ParameterMut>, decay: f32) {
        check_betas(self.betas);
        let grads = gradients(&parameters);
        if self.moments.is_empty() {
            let zeros =
                |(_, p): &ParameterMut| [p.zeros_like(), p.zeros_like()];
            self.moments = parameters.iter().map(zeros).collect();
        }
        check_same(self.moments.iter().map(|[mean, _]| mean), &parameters);
        self.steps += 1;
        let whole = |beta: f64| 1.0 - beta.powf(self.steps.into());
        let [whole1, whole2] = self.betas.map(whole);
        let [keep1, keep2] = self.betas.map(|beta| beta as f32);
        let [take1, take2] = self.betas.map(|beta| (1.0 - beta) as f32);
        let pairs = parameters.into_iter().zip(&mut self.moments);
        for (((_, parameter), moments), grad) in pairs.zip(grads) {
            let better = no_grad(|| {
                let [mean, square] = moments;
                // If the model has moved, its moments follow.
                for moment in [&mut *mean, &mut *square] {
                    *moment = or_raise(moment.to(grad.device()));
                }
                *mean = &*mean * keep1 + &grad * take1;
                *square = &*square * keep2 + (&grad * &grad) * take2;
                let root = square.sqrt() / whole2.sqrt() as f32;
                let way = &*mean / (root + self.epsilon);
                let rate = (f64::from(-self.learning_rate) / whole1) as f32;
                match decay == 0.0 {
                    true => &*parameter + way * rate,
                    false => &*parameter * (1.0 - decay) + way * rate,
                }
            });
            *parameter = better.requires_grad();
        }
    }
}
// ANCHOR_END: adam

/// [`Adam`] with decoupled weight decay: in each step a parameter also loses
/// the share `learning_rate * weight_decay` of itself, whatever its gradient
/// was.
///
/// ```
/// # use rungrad::part3_unified::optim::AdamW;
/// let mut adam = AdamW::new(3e-4, 0.01);
/// adam.adam.betas = [0.9, 0.95];
/// ```
#[derive(Clone, Debug)]
pub struct AdamW {
    /// The steps themselves, with their rate.
    pub adam: Adam,
    /// The share that is lost, times the rate.
    pub weight_decay: f32,
}

impl AdamW {
    /// Begins without a memory. PyTorch's values are a rate of 0.001 and a
    /// decay of 0.01.
    pub fn new(learning_rate: f32, weight_decay: f32) -> AdamW {
        AdamW { adam: Adam::new(learning_rate), weight_decay }
    }
}

impl Optimizer for AdamW {
    /// Takes a step: `parameter = parameter - learning_rate * weight_decay *
    /// parameter`, then the step of [`Adam`].
    #[track_caller]
    fn step(&mut self, parameters: Vec<ParameterMut<'_>>) {
        let share = self.adam.learning_rate * self.weight_decay;
        self.adam.decaying_step(parameters, share);
    }
}

/// Collects the gradient of each parameter. All are looked at before any is
/// used, so that a step is taken by all parameters or by none.
#[track_caller]
fn gradients(parameters: &[ParameterMut]) -> Vec<Tensor> {
    let mut grads = Vec::new();
    for (name, parameter) in parameters {
        let Some(grad) = parameter.grad() else {
            mistake(format!(
                "step: {name} has no gradient; call backward on a loss that \
                 was computed from it, once for each step"
            ))
        };
        grads.push(grad);
    }
    grads
}

/// Checks that the parameters are those of the step before: what an optimizer
/// remembers belongs to one of them for good.
#[track_caller]
fn check_same<'a>(
    memory: impl IntoIterator<Item = &'a Tensor>,
    parameters: &[ParameterMut],
) {
    let before = memory.into_iter().map(Tensor::shape);
    if !before.eq(parameters.iter().map(|(_, p)| p.shape())) {
        mistake(
            "step: these are not the parameters of the steps before; make an \
             optimizer for each model"
                .to_string(),
        );
    }
}

#[track_caller]
fn check_betas(betas: [f64; 2]) {
    if !betas.iter().all(|beta| (0.0..1.0).contains(beta)) {
        mistake(format!(
            "step: the betas are {betas:?}; each must be from 0 to below 1"
        ));
    }
}
