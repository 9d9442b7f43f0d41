// kept_keys: the test that only a faithful memory passes.
//
// WHAT   You are handed something that reads tokens, keeps their keys and
//        values, and gives 5 scores behind each token. Say whether a text that
//        is read in pieces gets the scores that it gets at once. The check
//        hands you a reader that does so, and seven that do not.
// WHY    What is kept is looked at by all that follows. A fault in it writes
//        on in good spirits: names come out, only slightly worse ones.
// MIND   Tokens are 0 to 4, and a text has at most 8. The right one adds in
//        another order when it reads in pieces, so its scores may differ by
//        1e-5.
// READ   Attention
// CHECK  cargo learn check kept_keys

/// Reads a text, all of it at once or in pieces.
pub trait Reader {
    /// Begins a new text.
    fn begin(&mut self);

    /// Reads on: 5 scores behind each of these tokens.
    fn read(&mut self, tokens: &[usize]) -> Vec<f32>;
}

/// Tells whether a reader says the same of pieces as of the whole.
pub fn accepts(reader: &mut dyn Reader) -> bool {
    todo!("TODO(kept_keys): read it at once, then in pieces")
}
