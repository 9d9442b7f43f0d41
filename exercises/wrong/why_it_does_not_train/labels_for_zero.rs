// Weights of 0 are taken for mixed labels.

use super::Fault;

/// Names what is wrong with a run, from 'A' to 'G'.
pub fn fault(run: char) -> Fault {
    match run {
        'A' => Fault::GradientsKept,
        'B' => Fault::LabelsMixed,
        'C' => Fault::StillTraining,
        'D' => Fault::LabelsMixed,
        'E' => Fault::Nothing,
        'F' => Fault::Uncorrected,
        _ => Fault::RateTooLarge,
    }
}
