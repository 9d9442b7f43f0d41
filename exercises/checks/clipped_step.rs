//! Checks `clipped_step`, an optimizer with momentum and gradient clipping.
//!
//! The two parameters have different shapes, because clipping each of them
//! alone gives a different result.

use std::process::ExitCode;

use exercises::{Outcome, check, drawn, wrong};
use ndarray::{ArrayD, IxDyn};
use rungrad::part1_cpu::Tensor;

exercises::yours!("part1_cpu/clipped_step.rs");

use yours::Optimizer;

fn main() -> ExitCode {
    check(
        "clipped_step",
        YOURS,
        &[
            ("a short gradient is unchanged", short),
            ("each parameter is a new leaf", leaves),
            (
                "the second step continues in the direction of the first",
                momentum,
            ),
            ("a long gradient is shortened, for all parameters together", long),
            ("the velocity gets the shortened gradient", remembered),
        ],
    )
}

const RATE: f32 = 0.5;
const MOMENTUM: f32 = 0.75;
const LONGEST: f32 = 5.0;

/// Changes a gradient before it is added to the velocity.
type Limit = fn(&[f32; 3]) -> [f32; 3];

/// Two parameters at 0; the first has 2 elements.
struct Run {
    optimizer: Optimizer,
    parameters: [Tensor; 2],
}

impl Run {
    fn new() -> Run {
        let zeros = |n: usize| ArrayD::<f32>::zeros(IxDyn(&[n]));
        Run {
            optimizer: Optimizer {
                rate: RATE,
                momentum: MOMENTUM,
                longest: LONGEST,
                velocity: vec![zeros(2), zeros(1)],
            },
            parameters: [Tensor::from(zeros(2)), Tensor::from(zeros(1))],
        }
    }

    /// Takes a step with this gradient.
    fn step(&mut self, grad: [f32; 3]) {
        let weights =
            [Tensor::new(&[2], &grad[..2]), Tensor::new(&[1], &grad[2..])];
        let [a, b] = &self.parameters;
        a.mul(&weights[0]).sum().add(&b.mul(&weights[1]).sum()).backward();
        self.optimizer.step(&mut self.parameters);
    }

    fn at(&self) -> Vec<f32> {
        self.parameters.iter().flat_map(Tensor::to_vec).collect()
    }
}

fn near(a: &[f32], b: &[f32]) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-4)
}

/// Compares the final parameters with the expected ones and with the results
/// of known mistakes.
fn judged(grads: &[[f32; 3]], others: &[(Limit, &str)]) -> Outcome {
    let mut run = Run::new();
    grads.iter().for_each(|grad| run.step(*grad));
    let yours = run.at();
    let right = place(grads, clipped);
    if near(&yours, &right) {
        return Ok(());
    }
    let known = others.iter().find(|(f, _)| near(&yours, &place(grads, *f)));
    let why = known.map_or("", |(_, why)| why);
    Err(wrong(format!(
        "After steps with the gradients {grads:?} the parameters are wrong. \
         The learning rate is {RATE}, the momentum {MOMENTUM}, and no gradient \
         may be longer than {LONGEST}. {why}\n\n  yours  {yours:?}\n  right  \
         {right:?}"
    )))
}

/// Returns the final values of three elements that began at 0. In a variant
/// the velocity gets only a share of each gradient.
fn place(grads: &[[f32; 3]], limit: Limit) -> Vec<f32> {
    let share = drawn("share").unwrap_or(1.0);
    let (mut at, mut velocity) = ([0.0; 3], [0.0; 3]);
    for grad in grads {
        let grad = limit(grad);
        for i in 0..3 {
            velocity[i] = MOMENTUM * velocity[i] + share * grad[i];
            at[i] -= RATE * velocity[i];
        }
    }
    at.to_vec()
}

fn length(grad: &[f32]) -> f32 {
    grad.iter().map(|g| g * g).sum::<f32>().sqrt()
}

fn clipped(grad: &[f32; 3]) -> [f32; 3] {
    grad.map(|g| g * (LONGEST / length(grad)).min(1.0))
}

fn stretched(grad: &[f32; 3]) -> [f32; 3] {
    grad.map(|g| g * LONGEST / length(grad))
}

fn each_alone(grad: &[f32; 3]) -> [f32; 3] {
    let [a, b, c] = *grad;
    let first = (LONGEST / length(&[a, b])).min(1.0);
    let second = (LONGEST / length(&[c])).min(1.0);
    [a * first, b * first, c * second]
}

fn each_number(grad: &[f32; 3]) -> [f32; 3] {
    grad.map(|g| g.clamp(-LONGEST, LONGEST))
}

fn unchanged(grad: &[f32; 3]) -> [f32; 3] {
    *grad
}

fn short(_: &()) -> Outcome {
    let others: [(Limit, &str); 1] = [(
        stretched,
        "This gradient is shorter than that, but you have made it longer.",
    )];
    judged(&[[1.0, -2.0, 2.0]], &others)
}

fn momentum(_: &()) -> Outcome {
    judged(&[[1.0, -2.0, 2.0], [0.5, 1.0, -1.0], [0.0, 0.0, 0.0]], &[])
}

const LONG: [f32; 3] = [20.0, -10.0, 20.0];

fn long(_: &()) -> Outcome {
    let others: [(Limit, &str); 3] = [
        (
            each_alone,
            "The gradient of each parameter was shortened separately, which \
             changes the direction of the whole gradient.",
        ),
        (
            each_number,
            "Each element was clipped separately, which changes the direction \
             of the whole gradient.",
        ),
        (
            unchanged,
            "This gradient is longer than that, and must be shortened.",
        ),
    ];
    judged(&[LONG], &others)
}

fn remembered(_: &()) -> Outcome {
    let mut run = Run::new();
    let grads = [LONG, [1.0, 0.0, 0.0]];
    grads.iter().for_each(|grad| run.step(*grad));
    let yours = run.at();
    // Add the whole gradient to the velocity and clip only the step.
    let whole = [LONG, LONG].map(|_| LONG.map(|g| MOMENTUM * g));
    let mut at = clipped(&LONG).map(|g| -RATE * g);
    for (i, at) in at.iter_mut().enumerate() {
        *at -= RATE * (whole[0][i] + grads[1][i]);
    }
    let right = place(&grads, clipped);
    match near(&yours, &right) {
        true => Ok(()),
        false => Err(wrong(format!(
            "After a long gradient, {LONG:?}, and a short one, {:?}, the \
             parameters are wrong. {}\n\n  yours  {yours:?}\n  right  \
             {right:?}",
            grads[1],
            match near(&yours, &at) {
                true =>
                    "The velocity contains the whole gradient, so it affects \
                     later steps.",
                false => "Shorten the gradient of each step, not the velocity.",
            }
        ))),
    }
}

fn leaves(_: &()) -> Outcome {
    let mut run = Run::new();
    let before = run.parameters.each_ref().map(Tensor::id);
    run.step([1.0, 2.0, 3.0]);
    for (parameter, before) in run.parameters.iter().zip(before) {
        let is_new = parameter.id() != before;
        if !is_new
            || !parameter.parents().is_empty()
            || parameter.grad().is_some()
        {
            return Err(wrong(
                "After a step each parameter must be a new leaf, without \
                 parents and without a gradient, so that the graph of the last \
                 step can be freed.",
            ));
        }
    }
    Ok(())
}
