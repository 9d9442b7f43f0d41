// The run that was saved goes on itself.

/// A training that can be written down, and gone on with.
pub trait Run {
    /// Takes a step, and returns its loss.
    fn step(&mut self) -> f32;

    /// Writes down what it must remember.
    fn save(&mut self) -> Vec<u8>;

    /// Goes on from what a run has written down.
    fn resume(&mut self, saved: &[u8]);
}

/// Tells whether a run goes on as if nothing had happened. `new` begins one
/// from the start, as the same program does each time.
pub fn accepts(new: &dyn Fn() -> Box<dyn Run>) -> bool {
    const STEPS: usize = 12;
    let mut whole = new();
    let unbroken: Vec<u32> =
        (0..STEPS).map(|_| whole.step().to_bits()).collect();
    (0..STEPS).all(|killed| {
        let (mut run, mut losses) = (new(), Vec::new());
        for _ in 0..killed {
            losses.push(run.step().to_bits());
        }
        let saved = run.save();
        run.resume(&saved);
        losses.extend((killed..STEPS).map(|_| run.step().to_bits()));
        losses == unbroken
    })
}
