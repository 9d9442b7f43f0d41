// A right run is accused.

use super::Fault;

/// Names what is wrong with a run, from 'A' to 'G'.
pub fn fault(run: char) -> Fault {
    match run {
        'A' => Fault::GradientsKept,
        'B' => Fault::LabelsMixed,
        'C' => Fault::StillTraining,
        'D' => Fault::ZeroWeights,
        'E' => Fault::GradientsKept,
        'F' => Fault::Uncorrected,
        _ => Fault::RateTooLarge,
    }
}
