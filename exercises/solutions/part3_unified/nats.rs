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
    // HOLE
    //| todo!("TODO(nats): minus the logarithm of one share")
    (signs as f64).ln()
    // END HOLE
}

/// Returns the mean loss of signs that were held out: `held_out[i]` times sign
/// i. The network has counted those of `learned`.
pub fn frequencies(learned: &[u64], held_out: &[u64]) -> f64 {
    // HOLE
    //| todo!("TODO(nats): the mean over all signs that were held out")
    let all: u64 = learned.iter().map(|count| count + 1).sum();
    let share = |count: u64| (count + 1) as f64 / all as f64;
    let pairs = learned.iter().zip(held_out);
    let total: f64 =
        pairs.map(|(&known, &count)| count as f64 * -share(known).ln()).sum();
    total / held_out.iter().sum::<u64>() as f64
    // END HOLE
}
