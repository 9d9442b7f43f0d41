// A text has two pieces, and only one is tried.

/// Reads a text, all of it at once or in pieces.
pub trait Reader {
    /// Begins a new text.
    fn begin(&mut self);

    /// Reads on: 5 scores behind each of these tokens.
    fn read(&mut self, tokens: &[usize]) -> Vec<f32>;
}

/// Tells whether a reader says the same of pieces as of the whole.
pub fn accepts(reader: &mut dyn Reader) -> bool {
    let text = [3, 1, 4, 1, 0, 2, 4, 3];
    reader.begin();
    let whole = reader.read(&text);
    let cuts: [&[usize]; 1] = [&[7, 1]];
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
}
