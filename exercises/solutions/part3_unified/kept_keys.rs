// kept_keys: a test that no wrong cache passes.
//
// WHAT   You get a reader that reads tokens, caches their keys and values, and
//        returns 5 scores after each token. Return whether a text that is read
//        in pieces gets the same scores as the whole text. The check calls
//        your test with one right reader and seven wrong ones.
// WHY    Everything that follows uses the cached values. With a bug in the
//        cache, names are still generated, but they are slightly worse.
// MIND   Tokens are 0 to 4, and a text has at most 8 of them. The right reader
//        adds in a different order when it reads in pieces, so its scores may
//        differ by 1e-5.
// READ   Attention
// CHECK  cargo learn check kept_keys

/// Reads a text, as a whole or in pieces.
pub trait Reader {
    /// Starts a new text.
    fn begin(&mut self);

    /// Reads more tokens and returns 5 scores after each of them.
    fn read(&mut self, tokens: &[usize]) -> Vec<f32>;
}

/// Returns whether a reader gives the same scores for pieces as for the whole.
pub fn accepts(reader: &mut dyn Reader) -> bool {
    // HOLE
    //| todo!("TODO(kept_keys): read a text as a whole, then in pieces")
    let text = [3, 1, 4, 1, 0, 2, 4, 3];
    reader.begin();
    let whole = reader.read(&text);
    let cuts: [&[usize]; 5] =
        [&[1; 8], &[3, 5], &[5, 3], &[2, 2, 2, 2], &[1, 4, 3]];
    cuts.iter().all(|pieces| {
        reader.begin();
        let (mut at, mut scores) = (0, Vec::new());
        for &piece in *pieces {
            scores.extend(reader.read(&text[at..at + piece]));
            at += piece;
        }
        let mut pairs = scores.iter().zip(&whole);
        scores.len() == whole.len() && pairs.all(|(a, b)| (a - b).abs() < 1e-4)
    })
    // END HOLE
}
