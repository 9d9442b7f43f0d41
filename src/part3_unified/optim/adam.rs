//! Adam, without and with decay.

use std::fmt;
use std::sync::Arc;

use super::super::nn::{ParameterMut, SharedParameter, distinct};
use super::super::{AdamStep, Array, Tensor};
use super::{Optimizer, check_rate, check_same, gradients};
use crate::checks;
use crate::error::{Result, mistake, or_raise};

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
    pub(super) steps: u32,
    /// Mean and mean square for each parameter, from the first step on.
    pub(super) moments: Vec<[Tensor; 2]>,
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
    ///
    /// # Panics
    ///
    /// If the rate is negative or not finite.
    #[track_caller]
    pub fn new(learning_rate: f32) -> Adam {
        check_rate("Adam", learning_rate);
        let (betas, epsilon) = ([0.9, 0.999], 1e-8);
        Adam { learning_rate, betas, epsilon, steps: 0, moments: Vec::new() }
    }

    #[track_caller]
    fn check(&self) {
        check_rate("step", self.learning_rate);
        or_raise(checks::not_negative("step", "epsilon", self.epsilon));
        check_betas(self.betas);
    }
}

// ANCHOR: adam
impl Adam {
    /// Takes a step: `mean = b1 * mean + (1 - b1) * grad`, the same of the
    /// squares with `b2`, then
    /// `parameter = parameter - learning_rate * mean / (root + epsilon)`.
    /// Before that each parameter loses what `decay` says of it, times the
    /// rate.
    ///
    /// Both means began at 0 and are too small by what `b^steps` says; what
    /// they are divided by makes up for it.
    #[track_caller]
    fn decaying_step(
        &mut self,
        parameters: Vec<ParameterMut>,
        decay: impl Fn(&str, &Tensor) -> f32,
    ) {
        self.check();
        let parameters = distinct(parameters);
        let grads = gradients(&parameters);
        let zeros =
            |p: &SharedParameter| [(); 2].map(|()| p.tensor().zeros_like());
        let moments: Vec<[Tensor; 2]> = match self.moments.is_empty() {
            true => parameters.iter().map(zeros).collect(),
            false => self.moments.clone(),
        };
        check_same(moments.iter().map(|[mean, _]| mean), &parameters);
        let steps = self.steps + 1;
        let whole = |beta: f64| 1.0 - beta.powf(steps.into());
        let [whole1, whole2] = self.betas.map(whole);
        let rate = f64::from(self.learning_rate);
        let mut step = AdamStep {
            keep: self.betas,
            take: self.betas.map(|beta| 1.0 - beta),
            whole: whole2.sqrt(),
            epsilon: self.epsilon.into(),
            rate: -rate / whole1,
            stay: 1.0,
        };
        let mut groups: Vec<(AdamStep, Vec<Place>)> = Vec::new();
        for (index, (parameter, grad)) in
            parameters.into_iter().zip(grads).enumerate()
        {
            let decay = decay(parameter.name(), parameter.tensor());
            step.stay = 1.0 - rate * f64::from(decay);
            let moments = moments[index].clone();
            let place = Place { index, parameter, moments, grad };
            let is_its = |group: &&mut (AdamStep, Vec<Place>)| {
                group.0 == step && group.1[0].is_like(&place)
            };
            match groups.iter_mut().find(is_its) {
                Some((_, alike)) => alike.push(place),
                None => groups.push((step, vec![place])),
            }
        }
        self.moments = or_raise(stepped(groups, moments));
        self.steps = steps;
    }
}
// ANCHOR_END: adam

/// Computes the steps of all groups and then replaces the parameters, or none
/// of them if a step has failed. Returns the next moments.
fn stepped(
    mut groups: Vec<(AdamStep, Vec<Place>)>,
    mut moments: Vec<[Tensor; 2]>,
) -> Result<Vec<[Tensor; 2]>> {
    let mut made = Vec::new();
    for (step, alike) in &mut groups {
        for some in alike.chunks_mut(AdamStep::AT_ONCE) {
            made.extend(take(step, some)?);
        }
    }
    Array::check_all(made.iter().flatten())?;
    let places = groups.into_iter().flat_map(|(_, places)| places);
    for (mut place, [better, mean, square]) in places.zip(made) {
        moments[place.index] = [mean, square].map(Tensor::from);
        place.parameter.set(Tensor::from(better).requires_grad());
    }
    Ok(moments)
}

/// A parameter, and what its step is made of.
struct Place<'a> {
    index: usize,
    parameter: SharedParameter<'a>,
    moments: [Tensor; 2],
    grad: Tensor,
}

impl Place<'_> {
    /// Says whether a device may take the step of both at once.
    fn is_like(&self, other: &Place) -> bool {
        let kind = |it: &Tensor| (it.device(), it.dtype());
        kind(self.parameter.tensor()) == kind(other.parameter.tensor())
    }

    fn arrays(&self) -> [&Array; 4] {
        let [mean, square] = &self.moments;
        [self.parameter.tensor(), &self.grad, mean, square].map(Tensor::array)
    }
}

/// Computes the next value and moments of parameters that are alike.
fn take(step: &AdamStep, places: &mut [Place]) -> Result<Vec<[Array; 3]>> {
    for place in &mut *places {
        // If the model has moved, its moments follow.
        for moment in place.moments.iter_mut() {
            *moment = moment.to(place.parameter.tensor().device())?;
        }
    }
    let of: Vec<[&Array; 4]> = places.iter().map(Place::arrays).collect();
    step.take(&of)
}

impl Optimizer for Adam {
    /// Takes a step, as the formulas above say. On a device it is one launch
    /// for up to 32 parameters, from the second on.
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

/// [`Adam`] with decoupled weight decay: in each step a parameter also loses
/// the share `learning_rate * weight_decay` of itself, whatever its gradient
/// was.
///
/// ```
/// # use rungrad::part3_unified::optim::AdamW;
/// let mut adam = AdamW::new(3e-4, 0.01);
/// adam.adam.betas = [0.9, 0.95];
/// ```
#[derive(Clone)]
pub struct AdamW {
    /// The steps themselves, with their rate.
    pub adam: Adam,
    /// The share that is lost, times the rate.
    pub weight_decay: f32,
    groups: Option<Decay>,
}

type Decay = Arc<dyn Fn(&str, &Tensor) -> f32 + Send + Sync>;

impl AdamW {
    /// Begins without a memory. PyTorch's values are a rate of 0.001 and a
    /// decay of 0.01.
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

    /// Gives groups of parameters decays of their own, instead of the one for
    /// all: `decay` says it of each parameter, from its name and what it is
    /// like. Often matrices decay, and biases and norms do not.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// # use rungrad::part3_unified::optim::{AdamW, Optimizer};
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
    /// Takes a step: `parameter = parameter - learning_rate * weight_decay *
    /// parameter`, then the step of [`Adam`], all in one launch for up to
    /// 32 parameters of one decay.
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
