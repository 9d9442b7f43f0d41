// No run is killed after its first epoch.

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
    (0..4).all(|killed| {
        let mut run = new();
        for _ in 0..killed {
            run.step();
            run.save();
        }
        let saved = run.save();
        let mut again = new();
        again.resume(&saved);
        unbroken[killed..].iter().all(|loss| again.step().to_bits() == *loss)
    })
}
