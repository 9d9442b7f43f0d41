//! The optimizers Adam and AdamW.

use std::fmt;
use std::sync::Arc;

use super::{Optimizer, check_rate, check_same, gradients};
use crate::checks;
use crate::error::{Result, mistake, or_raise};
use crate::library::nn::{ParameterMut, SharedParameter, distinct};
use crate::part3_unified::{AdamStep, Array, Tensor, check_same_kind};

/// The Adam optimizer. It adapts the step of each element: it divides the
/// running mean of the gradient by the square root of the running mean of the
/// squared gradient, which is large where gradients vary.
///
/// This is PyTorch's `Adam` without `weight_decay`; use [`AdamW`] for weight
/// decay.
#[derive(Clone, Debug)]
pub struct Adam {
    /// The learning rate; roughly the maximum change of an element per step.
    #[doc(alias = "lr")]
    pub learning_rate: f32,
    /// The decay rates of the running means of the gradient and of the squared
    /// gradient, each from 0 to below 1. They are `f64`, because `1 - 0.999`
    /// in `f32` has only four correct digits.
    pub betas: [f64; 2],
    /// Added to the square root to avoid division by 0.
    #[doc(alias = "eps")]
    pub epsilon: f32,
    /// The number of steps taken.
    pub(super) steps: u32,
    /// The number of steps that skipped each parameter.
    pub(super) skipped: Vec<u32>,
    /// The running means of gradient and squared gradient per parameter; empty
    /// before the first step.
    pub(super) moments: Vec<[Tensor; 2]>,
}

impl Adam {
    /// Creates an optimizer without state, with PyTorch's defaults: betas 0.9
    /// and 0.999, epsilon 1e-8. A common learning rate is 0.001.
    ///
    /// ```
    /// # use rungrad::optim::Adam;
    /// let mut adam = Adam::new(1e-3);
    /// adam.betas = [0.9, 0.95];
    /// ```
    ///
    /// # Panics
    ///
    /// If the rate is negative or not finite.
    #[track_caller]
    pub fn new(learning_rate: f32) -> Adam {
        check_rate("Adam", learning_rate);
        let (betas, epsilon) = ([0.9, 0.999], 1e-8);
        let (skipped, moments) = (Vec::new(), Vec::new());
        Adam { learning_rate, betas, epsilon, steps: 0, skipped, moments }
    }

    #[track_caller]
    fn check(&self) {
        check_rate("step", self.learning_rate);
        or_raise(checks::not_negative("step", "epsilon", self.epsilon));
        check_betas(self.betas);
    }
}

impl Adam {
    /// Updates the parameters: `mean = b1 * mean + (1 - b1) * grad`, the same
    /// for the squared gradient with `b2`, then
    /// `parameter = parameter - learning_rate * mean / (root + epsilon)`.
    /// First, each parameter is multiplied by `1 - learning_rate * decay`,
    /// where `decay` is a function of its name and value.
    ///
    /// The running means start at 0, which biases them toward 0. Dividing them
    /// by `1 - b^steps` corrects this. Each parameter counts the steps that did
    /// not skip it.
    #[track_caller]
    fn decaying_step(
        &mut self,
        parameters: Vec<ParameterMut>,
        decay: impl Fn(&str, &Tensor) -> f32,
    ) {
        self.check();
        let parameters = distinct(parameters);
        let named = parameters.iter().map(|it| (it.name(), it.tensor()));
        let grads = gradients("step", named);
        let zeros =
            |p: &SharedParameter| [(); 2].map(|()| p.tensor().zeros_like());
        let moments: Vec<[Tensor; 2]> = match self.moments.is_empty() {
            true => parameters.iter().map(zeros).collect(),
            false => self.moments.clone(),
        };
        check_same(moments.iter().map(|[mean, _]| mean), &parameters);
        let steps = self.steps + 1;
        let mut skipped = self.skipped.clone();
        skipped.resize(parameters.len(), 0);
        let rate = f64::from(self.learning_rate);
        let mut groups: Vec<(AdamStep, Vec<Update>)> = Vec::new();
        for (index, (parameter, grad)) in
            parameters.into_iter().zip(grads).enumerate()
        {
            let Some(grad) = grad else {
                skipped[index] += 1;
                continue;
            };
            let taken = f64::from(steps - skipped[index]);
            let bias_correction = |beta: f64| 1.0 - beta.powf(taken);
            let [correction1, correction2] = self.betas.map(bias_correction);
            let decay = decay(parameter.name(), parameter.tensor());
            let step = AdamStep {
                betas: self.betas,
                one_minus_betas: self.betas.map(|beta| 1.0 - beta),
                bias_correction: correction2.sqrt(),
                epsilon: self.epsilon.into(),
                rate: -rate / correction1,
                decay_factor: 1.0 - rate * f64::from(decay),
            };
            let moments = moments[index].clone();
            let update = Update { index, parameter, moments, grad };
            let is_same_group = |group: &&mut (AdamStep, Vec<Update>)| {
                group.0 == step && group.1[0].is_compatible(&update)
            };
            match groups.iter_mut().find(is_same_group) {
                Some((_, updates)) => updates.push(update),
                None => groups.push((step, vec![update])),
            }
        }
        self.moments = or_raise(apply_groups(groups, moments));
        (self.steps, self.skipped) = (steps, skipped);
    }
}

/// Computes the steps of all groups, and then replaces the parameters; if a
/// step fails, none is replaced. Returns the new moments.
fn apply_groups(
    mut groups: Vec<(AdamStep, Vec<Update>)>,
    mut moments: Vec<[Tensor; 2]>,
) -> Result<Vec<[Tensor; 2]>> {
    let mut next = Vec::new();
    for (step, updates) in &mut groups {
        for chunk in updates.chunks_mut(AdamStep::AT_ONCE) {
            next.extend(compute_updates(step, chunk)?);
        }
    }
    Array::check_all(next.iter().flatten())?;
    let updates = groups.into_iter().flat_map(|(_, updates)| updates);
    for (mut update, [better, mean, square]) in updates.zip(next) {
        moments[update.index] = [mean, square].map(Tensor::from);
        update.parameter.set(Tensor::from(better).requires_grad());
    }
    Ok(moments)
}

/// A parameter with its gradient and moments.
struct Update<'a> {
    index: usize,
    parameter: SharedParameter<'a>,
    moments: [Tensor; 2],
    grad: Tensor,
}

impl Update<'_> {
    /// Returns `true` if one launch can update both parameters: same device
    /// and element type.
    fn is_compatible(&self, other: &Update) -> bool {
        let kind = |tensor: &Tensor| (tensor.device(), tensor.dtype());
        kind(self.parameter.tensor()) == kind(other.parameter.tensor())
    }

    fn arrays(&self) -> [&Array; 4] {
        let [mean, square] = &self.moments;
        [self.parameter.tensor(), &self.grad, mean, square].map(Tensor::array)
    }
}

/// Computes the new values and moments of parameters with the same device and
/// element type.
fn compute_updates(
    step: &AdamStep,
    updates: &mut [Update],
) -> Result<Vec<[Array; 3]>> {
    for update in &mut *updates {
        // If the model has moved, its moments follow.
        for moment in update.moments.iter_mut() {
            *moment = moment.to(update.parameter.tensor().device())?;
        }
    }
    let arrays: Vec<[&Array; 4]> = updates.iter().map(Update::arrays).collect();
    step.update(&arrays)
}

impl Optimizer for Adam {
    /// Updates the parameters as described for [`Adam`]. On a device, one
    /// launch updates up to 32 parameters, beginning with the second step.
    #[track_caller]
    fn step(&mut self, parameters: Vec<ParameterMut<'_>>) {
        self.decaying_step(parameters, |_, _| 0.0);
    }

    #[track_caller]
    fn set_learning_rate(&mut self, rate: f32) {
        check_rate("set_learning_rate", rate);
        self.learning_rate = rate;
    }
}

/// [`Adam`] with decoupled weight decay: each step also shrinks every
/// parameter by the factor `1 - learning_rate * weight_decay`, whatever its
/// gradient is.
///
/// ```
/// # use rungrad::optim::AdamW;
/// let mut adam = AdamW::new(3e-4, 0.01);
/// adam.adam.betas = [0.9, 0.95];
/// ```
#[derive(Clone)]
pub struct AdamW {
    /// The Adam optimizer, with its learning rate.
    pub adam: Adam,
    /// The weight decay, which is multiplied by the learning rate.
    pub weight_decay: f32,
    groups: Option<Decay>,
}

type Decay = Arc<dyn Fn(&str, &Tensor) -> f32 + Send + Sync>;

impl AdamW {
    /// Creates an optimizer without state. PyTorch's defaults are a learning
    /// rate of 0.001 and a weight decay of 0.01.
    ///
    /// # Panics
    ///
    /// If the rate or the decay is negative or not finite.
    #[track_caller]
    pub fn new(learning_rate: f32, weight_decay: f32) -> AdamW {
        check_decay("AdamW", "weight decay", weight_decay);
        let adam = Adam::new(learning_rate);
        AdamW { adam, weight_decay, groups: None }
    }

    /// Sets a separate weight decay for each parameter: `decay` computes it
    /// from the parameter's name and value. Often, only matrices decay, but
    /// not biases and normalization weights.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// # use rungrad::optim::{AdamW, Optimizer};
    /// let matrices = |_: &str, p: &Tensor| if p.rank() > 1 { 0.1 } else { 0.0 };
    /// let mut adam = AdamW::new(1.0, 0.0).decay_by(matrices);
    /// let one = |shape: &[usize]| Tensor::ones(shape, Device::Cpu);
    /// let (w, b) = (one(&[1, 1])?, one(&[1])?);
    /// let (mut w, mut b) = (w.requires_grad(), b.requires_grad());
    /// (w.sum() * 0.0 + b.sum() * 0.0).backward();
    /// adam.step(vec![("w".into(), &mut w), ("b".into(), &mut b)]);
    /// assert_eq!((w.item()?, b.item()?), (0.9, 1.0));
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    #[doc(alias = "param_groups")]
    pub fn decay_by(
        self,
        decay: impl Fn(&str, &Tensor) -> f32 + Send + Sync + 'static,
    ) -> AdamW {
        AdamW { groups: Some(Arc::new(decay)), ..self }
    }
}

impl Optimizer for AdamW {
    /// Updates the parameters:
    /// `parameter = parameter - learning_rate * weight_decay * parameter`,
    /// then the step of [`Adam`]. One launch updates up to 32 parameters with
    /// the same decay.
    #[track_caller]
    fn step(&mut self, parameters: Vec<ParameterMut<'_>>) {
        let AdamW { adam, weight_decay, groups } = self;
        let groups = groups.as_ref();
        let decay = |name: &str, parameter: &Tensor| match groups {
            Some(decay) => decay(name, parameter),
            None => *weight_decay,
        };
        for (name, parameter) in &parameters {
            let what = format!("weight decay of {name}");
            check_decay("step", &what, decay(name, parameter));
        }
        adam.decaying_step(parameters, decay);
    }

    #[track_caller]
    fn set_learning_rate(&mut self, rate: f32) {
        self.adam.set_learning_rate(rate);
    }
}

impl fmt::Debug for AdamW {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AdamW")
            .field("adam", &self.adam)
            .field("weight_decay", &self.weight_decay)
            .field("by groups", &self.groups.is_some())
            .finish()
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

#[track_caller]
fn check_decay(op: &str, name: &str, decay: f32) {
    or_raise(checks::not_negative(op, name, decay));
}

impl Array {
    /// Performs one Adam step on a parameter, given its gradient and the
    /// running means of its gradient and squared gradient. Returns the new
    /// parameter and the two new means.
    pub fn adam_step(
        &self,
        grad: &Array,
        [mean, square]: [&Array; 2],
        step: &AdamStep,
    ) -> Result<[Array; 3]> {
        let mut next = step.update(&[[self, grad, mean, square]])?;
        Ok(next.swap_remove(0))
    }
}

impl AdamStep {
    /// Performs one Adam step on several parameters of the same device and
    /// type. Each row holds a parameter, its gradient, and the running means
    /// of its gradient and squared gradient. Returns the new parameter and
    /// means for each row.
    pub fn update(
        &self,
        parameters: &[[&Array; 4]],
    ) -> Result<Vec<[Array; 3]>> {
        let Some([first, ..]) = parameters.first() else {
            return Ok(Vec::new());
        };
        for [x, others @ ..] in parameters {
            check_same_kind("adam_step", first, x)?;
            for other in others {
                x.check_pair("adam_step", other)?;
            }
        }
        first.device().backend()?.adam_step(self, parameters)
    }
}
