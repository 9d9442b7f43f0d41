//! Which fault is planted in which run. Whoever solves
//! `why_it_does_not_train` reads this file last.

/// What may be wrong with a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Nothing is.
    Nothing,
    /// All weights and biases began at 0.
    ZeroWeights,
    /// The learning rate is a hundred times too large.
    RateTooLarge,
    /// `zero_grad` was forgotten, so each step takes the sum of all gradients.
    GradientsKept,
    /// Adam does not correct its means, which began at 0.
    Uncorrected,
    /// `eval` was forgotten, so the examination is in training mode.
    StillTraining,
    /// The rows were shuffled, and their labels were not.
    LabelsMixed,
}

/// The runs, by their letters from A on.
pub(crate) const RUNS: [Fault; 7] = [
    Fault::GradientsKept,
    Fault::LabelsMixed,
    Fault::StillTraining,
    Fault::ZeroWeights,
    Fault::Nothing,
    Fault::Uncorrected,
    Fault::RateTooLarge,
];
