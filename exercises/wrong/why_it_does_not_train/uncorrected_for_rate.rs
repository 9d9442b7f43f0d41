// A rate too large is taken for the means.

use super::Fault;

/// Names what is wrong with a run, from 'A' to 'G'.
pub fn fault(run: char) -> Fault {
    match run {
        'A' => Fault::GradientsKept,
        'B' => Fault::LabelsMixed,
        'C' => Fault::StillTraining,
        'D' => Fault::ZeroWeights,
        'E' => Fault::Nothing,
        'F' => Fault::Uncorrected,
        _ => Fault::Uncorrected,
    }
}
