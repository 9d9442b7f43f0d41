//! Which bug is in which run. Solve `why_it_does_not_train` before you read
//! this file.

/// The bug of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// There is none.
    Nothing,
    /// All weights and biases were initialized to 0.
    ZeroWeights,
    /// The learning rate is a hundred times too large.
    RateTooLarge,
    /// `zero_grad` was forgotten, so each step uses the sum of all gradients
    /// so far.
    GradientsKept,
    /// Adam lacks the bias correction of its means.
    Uncorrected,
    /// `eval` was forgotten, so evaluation runs in training mode.
    StillTraining,
    /// The rows were shuffled but their labels were not.
    LabelsMixed,
}

/// The bugs of the runs, in order, beginning with run A.
pub(crate) const RUNS: [Fault; 7] = [
    Fault::GradientsKept,
    Fault::LabelsMixed,
    Fault::StillTraining,
    Fault::ZeroWeights,
    Fault::Nothing,
    Fault::Uncorrected,
    Fault::RateTooLarge,
];
