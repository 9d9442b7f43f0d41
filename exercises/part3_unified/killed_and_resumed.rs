// killed_and_resumed: a test that no run with lost state passes.
//
// WHAT   You get a function that starts a training run. Return whether a run
//        that is saved, killed and resumed continues exactly like an
//        uninterrupted one. The check calls your test with one right run and
//        eight wrong ones.
// WHY    Training continues even if a checkpoint lacks something, and its loss
//        goes down like any other. Only a comparison with an uninterrupted run
//        shows the difference.
// MIND   State that is not saved keeps the value it has in the new run. An
//        epoch has 4 batches. Runs are compared bit for bit.
// READ   Weights that travel
// CHECK  cargo learn check killed_and_resumed

/// A training run that can be saved and resumed.
pub trait Run {
    /// Takes a step and returns its loss.
    fn step(&mut self) -> f32;

    /// Saves the state of the run.
    fn save(&mut self) -> Vec<u8>;

    /// Continues from a saved state.
    fn resume(&mut self, saved: &[u8]);
}

/// Returns whether a resumed run continues like an uninterrupted one. `new`
/// starts a run from the beginning, the same each time.
pub fn accepts(new: &dyn Fn() -> Box<dyn Run>) -> bool {
    todo!("TODO(killed_and_resumed): compare with an uninterrupted run")
}
