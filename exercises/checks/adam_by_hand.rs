//! Checks `adam_by_hand`, one step for each element.
//!
//! Each formula that a reader may have written by mistake is a `Way`, computed
//! in `f64`. A diagnosis is printed only if its formula reproduces every one
//! of the learner's values.

use std::process::ExitCode;

use exercises::{Outcome, Stop, check, choose, either, wrong};
use rungrad::part3_unified::{Device, Tensor};
use yours::Adam;

exercises::yours!("part3_unified/adam_by_hand.rs");

fn main() -> ExitCode {
    check(
        "adam_by_hand",
        YOURS,
        &[
            ("the length of the first step is the learning rate", first),
            ("each parameter is a new leaf", leaf),
            ("six steps with gradients that change", six),
            ("small gradients, where epsilon counts", small),
            ("the weight decay", decay),
        ],
    )
}

const RATE: f64 = 0.5;
const BETAS: [f64; 2] = [0.9, 0.999];

/// Computes a step from the state, the gradient, and the step number.
type Way = fn(&mut State, f64, i32, &Setting) -> f64;

struct Setting {
    epsilon: f64,
    decay: f64,
}

#[derive(Default)]
struct State {
    x: f64,
    mean: f64,
    square: f64,
}

impl State {
    fn remember(&mut self, grad: f64) {
        self.mean = BETAS[0] * self.mean + (1.0 - BETAS[0]) * grad;
        self.square = BETAS[1] * self.square + (1.0 - BETAS[1]) * grad * grad;
    }
}

fn whole(step: i32) -> [f64; 2] {
    BETAS.map(|beta| 1.0 - beta.powi(step))
}

fn right(it: &mut State, grad: f64, step: i32, by: &Setting) -> f64 {
    it.remember(grad);
    let [a, b] = whole(step);
    let root = (it.square / b).sqrt() + by.epsilon;
    it.x * (1.0 - RATE * by.decay) - RATE * (it.mean / a) / root
}

fn uncorrected(it: &mut State, grad: f64, _: i32, by: &Setting) -> f64 {
    it.remember(grad);
    let root = it.square.sqrt() + by.epsilon;
    it.x * (1.0 - RATE * by.decay) - RATE * it.mean / root
}

/// Only the mean is bias-corrected.
fn half_corrected(it: &mut State, grad: f64, step: i32, by: &Setting) -> f64 {
    it.remember(grad);
    let root = it.square.sqrt() + by.epsilon;
    it.x * (1.0 - RATE * by.decay) - RATE * it.mean / whole(step)[0] / root
}

fn kept_corrected(it: &mut State, grad: f64, step: i32, by: &Setting) -> f64 {
    it.remember(grad);
    let [a, b] = whole(step);
    (it.mean, it.square) = (it.mean / a, it.square / b);
    let root = it.square.sqrt() + by.epsilon;
    it.x * (1.0 - RATE * by.decay) - RATE * it.mean / root
}

fn without_root(it: &mut State, grad: f64, step: i32, by: &Setting) -> f64 {
    it.remember(grad);
    let [a, b] = whole(step);
    let below = it.square / b + by.epsilon;
    it.x * (1.0 - RATE * by.decay) - RATE * (it.mean / a) / below
}

fn epsilon_inside(it: &mut State, grad: f64, step: i32, by: &Setting) -> f64 {
    it.remember(grad);
    let [a, b] = whole(step);
    let root = (it.square / b + by.epsilon).sqrt();
    it.x * (1.0 - RATE * by.decay) - RATE * (it.mean / a) / root
}

fn epsilon_first(it: &mut State, grad: f64, step: i32, by: &Setting) -> f64 {
    it.remember(grad);
    let [a, b] = whole(step);
    let root = (it.square.sqrt() + by.epsilon) / b.sqrt();
    it.x * (1.0 - RATE * by.decay) - RATE * (it.mean / a) / root
}

fn joined(it: &mut State, grad: f64, step: i32, by: &Setting) -> f64 {
    let grad = grad + by.decay * it.x;
    right(it, grad, step, &Setting { decay: 0.0, ..*by })
}

fn undecayed(it: &mut State, grad: f64, step: i32, by: &Setting) -> f64 {
    right(it, grad, step, &Setting { decay: 0.0, ..*by })
}

/// Decays by a fraction of the parameter that does not depend on the rate.
fn by_share(it: &mut State, grad: f64, step: i32, by: &Setting) -> f64 {
    let decay = by.decay / RATE;
    right(it, grad, step, &Setting { decay, ..*by })
}

const START: [f64; 3] = [1.0, -2.0, 4.0];

/// Runs three parameters with a formula and with the learner's code.
fn both(grads: &[[f64; 3]], by: &Setting) -> Result<Vec<f32>, Stop> {
    let zeros = Tensor::zeros(&[3], Device::Cpu)?;
    let (mean, square) = (zeros.clone(), zeros);
    let (epsilon, decay) = (by.epsilon, by.decay);
    let (rate, betas, steps) = (RATE, BETAS, 0);
    let mut adam = Adam { rate, betas, epsilon, decay, mean, square, steps };
    let start = START.map(|x| x as f32);
    let mut at = Tensor::new(&[3], &start, Device::Cpu)?.requires_grad();
    for grad in grads {
        let slopes = grad.map(|g| g as f32);
        let slopes = Tensor::new(&[3], &slopes, Device::Cpu)?;
        (&at * &slopes).sum().backward();
        at = adam.step(&at);
    }
    Ok(at.to_vec()?)
}

fn place(grads: &[[f64; 3]], by: &Setting, way: Way) -> Vec<f64> {
    let each = START.iter().enumerate().map(|(at, start)| {
        let mut state = State { x: *start, ..State::default() };
        for (step, grad) in (1..).zip(grads) {
            state.x = way(&mut state, grad[at], step, by);
        }
        state.x
    });
    each.collect()
}

fn near(yours: &[f32], wanted: &[f64]) -> bool {
    let near = |(y, w): (&f32, &f64)| (f64::from(*y) - w).abs() <= 1e-4;
    yours.len() == wanted.len() && yours.iter().zip(wanted).all(near)
}

fn judged(grads: &[[f64; 3]], by: &Setting, others: &[(Way, &str)]) -> Outcome {
    let yours = both(grads, by)?;
    let way = choose::<Way, 3>(right, [joined, by_share, epsilon_first]);
    let right = place(grads, by, way);
    if near(&yours, &right) {
        return Ok(());
    }
    let known =
        others.iter().find(|(w, _)| near(&yours, &place(grads, by, *w)));
    let why = match known {
        Some((_, why)) => *why,
        None if yours.iter().any(|x| x.is_nan()) => {
            "The NaN comes from 0 divided by 0: before the first step 1 - \
             b^steps is 0. Increment the step count before you correct."
        }
        None => "",
    };
    Err(wrong(format!(
        "From {START:?}, with the learning rate {RATE}, the betas {BETAS:?}, \
         epsilon {} and the decay {}, steps with the gradients {grads:?} give \
         a wrong result. {why}\n\n  yours  {yours:?}\n  right  {right:?}",
        by.epsilon, by.decay
    )))
}

/// The mistake in the part that a variant changes.
const ORIGINAL: &[(Way, &str)] = &[(
    right,
    "This is the step of the exercise itself, without the change of the \
     variant.",
)];

const PLAIN: Setting = Setting { epsilon: 1e-8, decay: 0.0 };

fn first(_: &()) -> Outcome {
    let others: [(Way, &str); 3] = [
        (
            uncorrected,
            "Both means began at 0: after one step they contain only a tenth \
             and a thousandth of the gradient. Divide each by 1 - b^steps.",
        ),
        (
            half_corrected,
            "The mean is corrected but the mean square is not: it began at 0 \
             as well.",
        ),
        (
            without_root,
            "The mean is divided by the mean square. Divide by its root: then \
             a gradient a thousand times as large gives the same step.",
        ),
    ];
    judged(&[[2.0, -0.5, 0.125]], &PLAIN, &others)
}

fn six(_: &()) -> Outcome {
    let grads = [
        [2.0, -0.5, 0.125],
        [1.0, 0.5, 0.0],
        [-3.0, 1.0, 0.0],
        [0.0, -2.0, 8.0],
        [2.0, 0.25, 1.0],
        [-1.0, 0.5, -4.0],
    ];
    let others: [(Way, &str); 2] = [
        (
            kept_corrected,
            "The corrected means were stored, and the next step corrects them \
             again. Store the uncorrected means, and correct a copy.",
        ),
        (half_corrected, "The mean is corrected, but the mean square is not."),
    ];
    judged(&grads, &PLAIN, &others)
}

fn small(_: &()) -> Outcome {
    let by = Setting { epsilon: 0.25, decay: 0.0 };
    let grads = [[0.25, -0.5, 0.125], [0.5, 0.25, 0.0]];
    let others: [(Way, &str); 2] = [
        (epsilon_inside, "Epsilon is added to the root, not under it."),
        (
            epsilon_first,
            "Epsilon is added to the root of the corrected mean square, not \
             before it is corrected.",
        ),
    ];
    judged(&grads, &by, either(&others, ORIGINAL))
}

fn decay(_: &()) -> Outcome {
    let by = Setting { epsilon: 1e-8, decay: 0.25 };
    let grads = [[2.0, -0.5, 0.125], [-1.0, 8.0, 0.5], [0.5, 1.0, -0.5]];
    let others: [(Way, &str); 3] = [
        (
            joined,
            "The decay was added to the gradient, and was divided by the root \
             together with it: a parameter with large gradients hardly decays. \
             Subtract rate * decay times the parameter, separately from the \
             step.",
        ),
        (undecayed, "There is no weight decay."),
        (
            by_share,
            "Each step subtracts the fraction `decay`. It should subtract rate \
             * decay, so that a smaller rate makes the whole step smaller.",
        ),
    ];
    judged(&grads, &by, either(&others, ORIGINAL))
}

fn leaf(_: &()) -> Outcome {
    let zeros = Tensor::zeros(&[2], Device::Cpu)?;
    let mut adam = Adam {
        rate: RATE,
        betas: BETAS,
        epsilon: 1e-8,
        decay: 0.0,
        mean: zeros.clone(),
        square: zeros.clone(),
        steps: 0,
    };
    let before = zeros.requires_grad();
    before.sum().backward();
    let after = adam.step(&before);
    if !after.records() {
        return Err(wrong(
            "After a step the parameter requires no gradient, so the next \
             backward ignores it. Make it a leaf with .requires_grad().",
        ));
    }
    if after.id() == before.id() || after.grad().is_some() {
        return Err(wrong(
            "After a step the parameter must be a new leaf, without the \
             gradient of the old one.",
        ));
    }
    match adam.mean.records() || adam.square.records() {
        false => Ok(()),
        true => Err(wrong(
            "A running mean is recorded: it would keep the graphs of all steps \
             alive. Compute it in no_grad.",
        )),
    }
}
