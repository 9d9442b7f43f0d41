//! Checks `why_it_does_not_train`, seven runs and their bugs.
//!
//! The example that shows the runs defines which bug is in which run.

use std::process::ExitCode;

use exercises::{Outcome, check, wrong};

#[path = "../../examples/part3_training/planted.rs"]
mod planted;

use planted::{Fault, RUNS};

exercises::yours!("part3_unified/why_it_does_not_train.rs");

fn main() -> ExitCode {
    check(
        "why_it_does_not_train",
        YOURS,
        &[
            ("run A", named::<0>),
            ("run B", named::<1>),
            ("run C", named::<2>),
            ("run D", named::<3>),
            ("run E", named::<4>),
            ("run F", named::<5>),
            ("run G", named::<6>),
        ],
    )
}

/// Describes a symptom of this bug that the run in question does not show.
fn would_show(fault: Fault) -> &'static str {
    match fault {
        Fault::Nothing => {
            "A run without a bug learns from the first steps on, moves a \
             parameter by less than the learning rate, and gives the same \
             result in both evaluations."
        }
        Fault::ZeroWeights => {
            "If all weights are 0, each class gets the same score: the first \
             loss is 2.303 to the last digit, and no gradient gets past the \
             last bias."
        }
        Fault::RateTooLarge => {
            "A learning rate that is a hundred times too large moves a \
             parameter a hundred times as far, already in the first step."
        }
        Fault::GradientsKept => {
            "If gradients accumulate, the first step is right, and from the \
             second on the gradient is a sum: it grows while the loss falls."
        }
        Fault::Uncorrected => {
            "Without bias correction only the length of Adam's first step is \
             wrong: it is 3.16 times as long, a tenth divided by the root of a \
             thousandth."
        }
        Fault::StillTraining => {
            "In training mode dropout is random, so each evaluation has a \
             different result. In evaluation mode it has one."
        }
        Fault::LabelsMixed => {
            "If the labels are mixed up, steps and gradients have the usual \
             size, but there is nothing to learn: the loss stays near 2.303."
        }
    }
}

fn named<const RUN: usize>(_: &()) -> Outcome {
    let letter = (b'A' + RUN as u8) as char;
    let yours = yours::fault(letter);
    match yours == RUNS[RUN] {
        true => Ok(()),
        false => Err(wrong(format!(
            "The answer for run {letter} is not {yours:?}. {} Look at the \
             table of this run again.",
            would_show(yours)
        ))),
    }
}
