// Whatever it is, it is accepted.

/// Reads a text, all of it at once or in pieces.
pub trait Reader {
    /// Begins a new text.
    fn begin(&mut self);

    /// Reads on: 5 scores behind each of these tokens.
    fn read(&mut self, tokens: &[usize]) -> Vec<f32>;
}

/// Tells whether a reader says the same of pieces as of the whole.
pub fn accepts(reader: &mut dyn Reader) -> bool {
    reader.begin();
    true
}
