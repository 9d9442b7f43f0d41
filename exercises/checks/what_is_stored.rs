//! Checks `what_is_stored`: which values may still be needed.

use std::process::ExitCode;

use exercises::{Outcome, check, wrong};
use rungrad::rng::Random;
use yours::{Step, What};

exercises::yours!("part3_unified/what_is_stored.rs");

fn main() -> ExitCode {
    check(
        "what_is_stored",
        YOURS,
        &[
            ("a chain without a handle to its middle", chain),
            ("a chain with a handle to a link in the middle", held),
            ("a product of a step with itself", twice),
            ("a step that another pending step needs", elsewhere),
            ("constants, and values in memory", there),
            ("500 random expressions", chance),
        ],
    )
}

/// Returns steps whose holders are the program's handles plus the steps that
/// use them.
fn steps(kinds: &[What], handles: &[usize]) -> Vec<Step> {
    let mut all: Vec<Step> = kinds
        .iter()
        .zip(handles)
        .map(|(what, &holders)| Step { what: what.clone(), holders })
        .collect();
    for what in kinds {
        if let What::Pending(operands) = what {
            operands.iter().for_each(|&operand| all[operand].holders += 1);
        }
    }
    all
}

fn pending(operands: &[usize]) -> What {
    What::Pending(operands.to_vec())
}

fn chain(_: &()) -> Outcome {
    let kinds = [What::InMemory, pending(&[0]), pending(&[1]), pending(&[2])];
    judge(&steps(&kinds, &[1, 0, 0, 1]), 3)
}

fn held(_: &()) -> Outcome {
    let kinds = [What::InMemory, pending(&[0]), pending(&[1]), pending(&[2])];
    judge(&steps(&kinds, &[1, 1, 0, 1]), 3)?;
    judge(&steps(&kinds, &[0, 0, 2, 1]), 3)?;
    judge(&steps(&kinds, &[0, 0, 1, 1]), 2)
}

fn twice(_: &()) -> Outcome {
    let kinds =
        [What::InMemory, pending(&[0]), pending(&[1, 1]), pending(&[2, 1])];
    judge(&steps(&kinds, &[1, 0, 0, 1]), 3)?;
    judge(&steps(&kinds, &[1, 1, 0, 1]), 3)
}

fn elsewhere(_: &()) -> Outcome {
    // Step 3 is pending too and depends on step 1.
    let kinds = [What::InMemory, pending(&[0]), pending(&[1]), pending(&[1])];
    judge(&steps(&kinds, &[1, 0, 1, 1]), 2)?;
    let kinds =
        [What::InMemory, pending(&[0]), pending(&[1]), pending(&[1, 2])];
    judge(&steps(&kinds, &[1, 0, 1, 1]), 3)?;
    judge(&steps(&kinds, &[1, 0, 1, 1]), 2)
}

fn there(_: &()) -> Outcome {
    let kinds =
        [What::InMemory, What::Constant, pending(&[0, 1]), pending(&[2])];
    judge(&steps(&kinds, &[3, 2, 0, 1]), 3)
}

fn chance(_: &()) -> Outcome {
    let mut random = Random::new(1);
    for _ in 0..500 {
        let mut kinds = vec![What::InMemory, What::Constant, What::InMemory];
        while kinds.len() < 9 {
            let operands = 1 + random.below(2);
            let n = kinds.len();
            let below = |_| random.below(n);
            kinds.push(What::Pending((0..operands).map(below).collect()));
        }
        let handles: Vec<usize> =
            kinds.iter().map(|_| random.below(3).saturating_sub(1)).collect();
        let root = 3 + random.below(6);
        judge(&steps(&kinds, &handles), root)?;
    }
    Ok(())
}

/// Returns which steps the root depends on, and how often those use each step.
fn needed(steps: &[Step], root: usize) -> (Vec<bool>, Vec<usize>) {
    let (mut needed, mut uses) =
        (vec![false; steps.len()], vec![0; steps.len()]);
    needed[root] = true;
    for at in (0..=root).rev() {
        let What::Pending(operands) = &steps[at].what else { continue };
        if needed[at] {
            for &operand in operands {
                needed[operand] = true;
                uses[operand] += 1;
            }
        }
    }
    (needed, uses)
}

fn judge(steps: &[Step], root: usize) -> Outcome {
    let mut yours = yours::stored(steps, root);
    yours.sort_unstable();
    let (needed, uses) = needed(steps, root);
    for at in 0..steps.len() {
        let count = yours.iter().filter(|&&step| step == at).count();
        if count > 1 {
            return Err(told(
                steps,
                root,
                &yours,
                &format!("Step {at} is in your list {count} times."),
            ));
        }
        let is_pending = matches!(steps[at].what, What::Pending(_));
        let holders = steps[at].holders;
        let others = holders > uses[at];
        let right = needed[at] && is_pending && (at == root || others);
        let why = match (right, count == 1) {
            (true, false) if at == root => {
                format!("Step {at} is the one that was requested.")
            }
            (true, false) => format!(
                "Step {at} has {}, and pending steps that the root depends on \
                 use it {} times: another holder may request it later, and its \
                 value would be missing.",
                holders_of(holders),
                uses[at]
            ),
            (false, true) if !needed[at] => format!(
                "Step {root} does not depend on step {at}, so the kernel does \
                 not compute it."
            ),
            (false, true) => match &steps[at].what {
                What::InMemory => {
                    format!("Step {at} is already in memory.")
                }
                What::Constant => format!(
                    "Step {at} is a constant, which is written wherever it is \
                     used."
                ),
                What::Pending(_) => format!(
                    "Step {at} has {}, and every one is a pending step that \
                     the root depends on: it cannot be requested any more. If a \
                     step uses an operand twice, it holds it twice.",
                    holders_of(holders)
                ),
            },
            _ => continue,
        };
        return Err(told(steps, root, &yours, &why));
    }
    Ok(())
}

fn holders_of(count: usize) -> String {
    format!("{count} holder{}", if count == 1 { "" } else { "s" })
}

fn told(
    steps: &[Step],
    root: usize,
    yours: &[usize],
    why: &str,
) -> exercises::Stop {
    let lines: Vec<String> = steps
        .iter()
        .enumerate()
        .map(|(at, step)| {
            let what = match &step.what {
                What::InMemory => "in memory".to_owned(),
                What::Constant => "a constant".to_owned(),
                What::Pending(operands) => {
                    format!("pending, with operands {operands:?}")
                }
            };
            format!("  {at}: {what}, {}", holders_of(step.holders))
        })
        .collect();
    wrong(format!(
        "{why}\n\nStep {root} is requested, and the steps are\n{}\n  yours  \
         {yours:?}",
        lines.join("\n")
    ))
}
