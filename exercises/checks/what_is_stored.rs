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
        if let What::Wish(operands) = what {
            operands.iter().for_each(|&operand| all[operand].holders += 1);
        }
    }
    all
}

fn wish(operands: &[usize]) -> What {
    What::Wish(operands.to_vec())
}

fn chain(_: &()) -> Outcome {
    let kinds = [What::There, wish(&[0]), wish(&[1]), wish(&[2])];
    judge(&steps(&kinds, &[1, 0, 0, 1]), 3)
}

fn held(_: &()) -> Outcome {
    let kinds = [What::There, wish(&[0]), wish(&[1]), wish(&[2])];
    judge(&steps(&kinds, &[1, 1, 0, 1]), 3)?;
    judge(&steps(&kinds, &[0, 0, 2, 1]), 3)?;
    judge(&steps(&kinds, &[0, 0, 1, 1]), 2)
}

fn twice(_: &()) -> Outcome {
    let kinds = [What::There, wish(&[0]), wish(&[1, 1]), wish(&[2, 1])];
    judge(&steps(&kinds, &[1, 0, 0, 1]), 3)?;
    judge(&steps(&kinds, &[1, 1, 0, 1]), 3)
}

fn elsewhere(_: &()) -> Outcome {
    // Step 3 is pending too and depends on step 1.
    let kinds = [What::There, wish(&[0]), wish(&[1]), wish(&[1])];
    judge(&steps(&kinds, &[1, 0, 1, 1]), 2)?;
    let kinds = [What::There, wish(&[0]), wish(&[1]), wish(&[1, 2])];
    judge(&steps(&kinds, &[1, 0, 1, 1]), 3)?;
    judge(&steps(&kinds, &[1, 0, 1, 1]), 2)
}

fn there(_: &()) -> Outcome {
    let kinds = [What::There, What::Number, wish(&[0, 1]), wish(&[2])];
    judge(&steps(&kinds, &[3, 2, 0, 1]), 3)
}

fn chance(_: &()) -> Outcome {
    let mut random = Random::new(1);
    for _ in 0..500 {
        let mut kinds = vec![What::There, What::Number, What::There];
        while kinds.len() < 9 {
            let operands = 1 + random.below(2);
            let n = kinds.len();
            let below = |_| random.below(n);
            kinds.push(What::Wish((0..operands).map(below).collect()));
        }
        let handles: Vec<usize> =
            kinds.iter().map(|_| random.below(3).saturating_sub(1)).collect();
        let root = 3 + random.below(6);
        judge(&steps(&kinds, &handles), root)?;
    }
    Ok(())
}

/// Returns which steps the root depends on, and how often those use each step.
fn behind(steps: &[Step], root: usize) -> (Vec<bool>, Vec<usize>) {
    let (mut behind, mut uses) =
        (vec![false; steps.len()], vec![0; steps.len()]);
    behind[root] = true;
    for at in (0..=root).rev() {
        let What::Wish(operands) = &steps[at].what else { continue };
        if behind[at] {
            for &operand in operands {
                behind[operand] = true;
                uses[operand] += 1;
            }
        }
    }
    (behind, uses)
}

fn judge(steps: &[Step], root: usize) -> Outcome {
    let mut yours = yours::stored(steps, root);
    yours.sort_unstable();
    let (behind, uses) = behind(steps, root);
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
        let is_wish = matches!(steps[at].what, What::Wish(_));
        let holders = steps[at].holders;
        let others = holders > uses[at];
        let right = behind[at] && is_wish && (at == root || others);
        let why = match (right, count == 1) {
            (true, false) if at == root => {
                format!("Step {at} is the one that was requested.")
            }
            (true, false) => format!(
                "Step {at} has {holders} holders, and pending steps that the \
                 root depends on use it {} times: another holder may request \
                 it later, and its value would be missing.",
                uses[at]
            ),
            (false, true) if !behind[at] => format!(
                "Step {root} does not depend on step {at}: the kernel does not \
                 compute it."
            ),
            (false, true) => match &steps[at].what {
                What::There => {
                    format!("Step {at} is already in memory.")
                }
                What::Number => format!(
                    "Step {at} is a constant, which is written wherever it is \
                     used."
                ),
                What::Wish(_) => format!(
                    "Step {at} has {holders} holders, and all of them are \
                     pending steps that the root depends on: it cannot be \
                     requested any more. If a step uses an operand twice, it \
                     holds it twice."
                ),
            },
            _ => continue,
        };
        return Err(told(steps, root, &yours, &why));
    }
    Ok(())
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
                What::There => "there".to_owned(),
                What::Number => "a number".to_owned(),
                What::Wish(operands) => format!("a wish of {operands:?}"),
            };
            format!("  {at}: {what}, {} holders", step.holders)
        })
        .collect();
    wrong(format!(
        "{why}\n\nStep {root} is requested, of\n{}\n  yours  {yours:?}",
        lines.join("\n")
    ))
}
