// why_it_does_not_train: seven runs and their symptoms.
//
// WHAT   `cargo run --example part3_training -- faults` trains a network seven
//        times and prints losses, the norm of the gradient of each step, and
//        how far the step moved a parameter, in units of the learning rate.
//        One run is right. Name the bug of each of the others.
// WHY    Nothing crashes when training is wrong. There is only a loss that
//        looks odd, and you find the bug faster if you have seen such losses
//        before.
// MIND   All runs but one have the same initial weights, and all use dropout
//        and Adam. With ten classes, random guessing has a loss of ln 10,
//        which is 2.303.
// READ   What makes training work
// CHECK  cargo learn check why_it_does_not_train

use super::Fault;

/// Names the bug of a run, from 'A' to 'G'.
pub fn fault(run: char) -> Fault {
    // HOLE
    //| // Fault has Nothing, ZeroWeights, RateTooLarge, GradientsKept,
    //| // Uncorrected, StillTraining and LabelsMixed, each of them once.
    //| todo!("TODO(why_it_does_not_train): what does run {run} show?")
    match run {
        'A' => Fault::GradientsKept,
        'B' => Fault::LabelsMixed,
        'C' => Fault::StillTraining,
        'D' => Fault::ZeroWeights,
        'E' => Fault::Nothing,
        'F' => Fault::Uncorrected,
        _ => Fault::RateTooLarge,
    }
    // END HOLE
}
