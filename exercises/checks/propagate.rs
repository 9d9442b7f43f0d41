//! Checks `propagate`: which results are recorded, and which tensors get a
//! gradient. Part 3's engine is the reference: each program is also run on it.

use std::process::ExitCode;

use exercises::{Outcome, Stop, check, wrong};
use rungrad::part3_unified::{Device, Tensor, no_grad};
use rungrad::rng::Random;
use yours::Step::{self, Apply, ApplyNoGrad, Detach, Leaf};

exercises::yours!("part3_unified/propagate.rs");

fn main() -> ExitCode {
    check(
        "propagate",
        YOURS,
        &[
            ("one of two operands requires a gradient", mixed),
            ("no_grad and detach cut off the graph", cut),
            ("a tensor that is used twice, and a leaf that is not used", twice),
            ("200 random programs", chance),
        ],
    )
}

fn mixed(_: &()) -> Outcome {
    judge(&[Leaf(true), Leaf(false), Apply(vec![0, 1])])?;
    judge(&[Leaf(false), Leaf(true), Apply(vec![0, 1])])?;
    judge(&[Leaf(false), Leaf(false), Apply(vec![0, 1])])
}

fn cut(_: &()) -> Outcome {
    judge(&[Leaf(true), Detach(0), Leaf(true), Apply(vec![1, 2])])?;
    judge(&[
        Leaf(true),
        Leaf(true),
        ApplyNoGrad(vec![0, 1]),
        Apply(vec![2, 1]),
        Apply(vec![3, 2]),
    ])
}

fn twice(_: &()) -> Outcome {
    judge(&[
        Leaf(true),
        Leaf(true),
        Leaf(true),
        Apply(vec![0, 0]),
        Apply(vec![3, 2]),
        Apply(vec![4, 3]),
    ])
}

fn chance(_: &()) -> Outcome {
    for seed in 0..200 {
        judge(&program(seed))?;
    }
    Ok(())
}

/// Returns a few leaves, and then operations on any tensors so far.
fn program(seed: u64) -> Vec<Step> {
    let mut random = Random::new(seed);
    let mut below = |n: usize| random.below(n);
    let mut steps: Vec<Step> = (0..3).map(|_| Leaf(below(2) == 0)).collect();
    while steps.len() < 9 {
        let n = steps.len();
        let operands = vec![below(n), below(n)];
        steps.push(match below(6) {
            0 => ApplyNoGrad(operands),
            1 => Detach(operands[0]),
            _ => Apply(operands),
        });
    }
    steps
}

/// Compares the answers with the engine.
fn judge(steps: &[Step]) -> Outcome {
    let has = yours::requires_grad(steps);
    if has.len() != steps.len() {
        return Err(told(
            steps,
            format!(
                "requires_grad returns {} answers for {} steps. It should \
                 return one per step.",
                has.len(),
                steps.len()
            ),
        ));
    }
    let tensors = run(steps)?;
    for (i, tensor) in tensors.iter().enumerate() {
        let right = tensor.id().is_some();
        if has[i] != right {
            let why = match &steps[i] {
                Leaf(_) => "A leaf qualifies if it requires a gradient.",
                Apply(_) => {
                    "An operation qualifies if any of its operands does."
                }
                ApplyNoGrad(_) => {
                    "Inside no_grad nothing is recorded, whatever the \
                     operands are."
                }
                Detach(_) => "A detached tensor has no graph.",
            };
            let says = if right { "can" } else { "cannot" };
            return Err(told(
                steps,
                format!("Backward {says} start at step {i}. {why}"),
            ));
        }
    }
    for root in (0..steps.len()).filter(|&i| has[i]) {
        let yours = yours::reached(steps, root);
        // Each root gets new tensors, and so separate gradients.
        let tensors = run(steps)?;
        tensors[root].backward();
        let right: Vec<usize> = (0..steps.len())
            .filter(|&i| matches!(steps[i], Leaf(_)))
            .filter(|&i| tensors[i].grad().is_some())
            .collect();
        if yours != right {
            return Err(told(
                steps,
                format!(
                    "Backward from step {root} gives gradients to the leaves \
                     {right:?}, but your answer is {yours:?}."
                ),
            ));
        }
    }
    Ok(())
}

/// Runs the program on the engine; every operation is a multiplication.
fn run(steps: &[Step]) -> Result<Vec<Tensor>, Stop> {
    let mut tensors: Vec<Tensor> = Vec::new();
    for step in steps {
        let product = |operands: &[usize]| {
            let [a, b] = [operands[0], operands[1]].map(|i| &tensors[i]);
            a.mul(b)
        };
        let tensor = match step {
            Leaf(requires) => {
                let leaf = Tensor::new(&[1], &[1.0], Device::Cpu)?;
                if *requires { leaf.requires_grad() } else { leaf }
            }
            Apply(operands) => product(operands),
            ApplyNoGrad(operands) => no_grad(|| product(operands)),
            Detach(operand) => tensors[*operand].detach(),
        };
        tensors.push(tensor);
    }
    Ok(tensors)
}

fn told(steps: &[Step], words: String) -> Stop {
    let numbered = steps.iter().enumerate();
    let list: String =
        numbered.map(|(i, step)| format!("\n  {i}  {step:?}")).collect();
    wrong(format!("{words}\n{list}"))
}
