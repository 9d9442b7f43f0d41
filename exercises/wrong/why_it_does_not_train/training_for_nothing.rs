// What learns well is taken for right.

use super::Fault;

/// Names what is wrong with a run, from 'A' to 'G'.
pub fn fault(run: char) -> Fault {
    match run {
        'A' => Fault::GradientsKept,
        'B' => Fault::LabelsMixed,
        'C' => Fault::Nothing,
        'D' => Fault::ZeroWeights,
        'E' => Fault::StillTraining,
        'F' => Fault::Uncorrected,
        _ => Fault::RateTooLarge,
    }
}
