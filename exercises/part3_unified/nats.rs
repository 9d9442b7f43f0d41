// nats: the meaning of a loss.
//
// WHAT   Two networks have learned almost nothing. `blind` gives each of
//        `tokens` tokens the same probability at every position. `frequencies`
//        has counted how often each token occurs in the training names, and
//        gives each token its overall frequency as its probability at every
//        position. Return their mean loss per token, in nats.
// WHY    "The loss is 2.4" says nothing by itself. The difference between 2.4
//        and these two losses is what a network has learned about the order of
//        letters.
// MIND   Add 1 to each count, so that no probability is 0: a token that was
//        never seen in training would have an infinite loss.
// READ   Names
// CHECK  cargo learn check nats

/// Returns the loss if all tokens have the same probability.
pub fn blind(tokens: usize) -> f64 {
    todo!("TODO(nats): the negative logarithm of one probability")
}

/// Returns the mean loss of held-out tokens: `held_out[i]` times token i. The
/// network has counted the tokens in `learned`.
pub fn frequencies(learned: &[u64], held_out: &[u64]) -> f64 {
    todo!("TODO(nats): the mean over all held-out tokens")
}
