// nats: what a loss is worth.
//
// WHAT   Two networks that have learned next to nothing. `blind` gives each of
//        so many signs the same share at each place. `frequencies` has counted
//        how often each sign stands in the names that were learned, and gives
//        each sign, at each place, the share that it has of all. Return their
//        mean loss of a sign, in nats.
// WHY    "The loss is 2.4" says nothing by itself. Between these two numbers
//        and it lies what a network has learned of the order of letters.
// MIND   Add 1 to each count, so that no share is 0: a sign that was never
//        seen would cost an infinite loss once it comes.
// READ   Names
// CHECK  cargo learn check nats

/// Returns the loss of a network that gives all signs the same share.
pub fn blind(signs: usize) -> f64 {
    todo!("TODO(nats): minus the logarithm of one share")
}

/// Returns the mean loss of signs that were held out: `held_out[i]` times sign
/// i. The network has counted those of `learned`.
pub fn frequencies(learned: &[u64], held_out: &[u64]) -> f64 {
    todo!("TODO(nats): the mean over all signs that were held out")
}
