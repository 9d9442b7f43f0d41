// why_it_does_not_train: seven runs, and what was seen of each.
//
// WHAT   `cargo run --example part3_training -- faults` trains one network
//        seven times and shows losses, the length of the gradient that a step
//        took, and how far it moved a parameter, in learning rates. One run
//        is right. Name the fault of each of the others.
// WHY    Nothing crashes when training is wrong. There is a loss that looks
//        odd, and whoever has seen the odd ones before knows where to look.
// MIND   All runs have the same first weights, but for one, and all have a
//        dropout and an Adam. With ten classes a guess at random has a loss of
//        ln 10, which is 2.303.
// READ   What makes training work
// CHECK  cargo learn check why_it_does_not_train

use super::Fault;

/// Names what is wrong with a run, from 'A' to 'G'.
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
