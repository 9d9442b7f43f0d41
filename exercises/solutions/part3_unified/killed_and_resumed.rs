// killed_and_resumed: the test that no forgetful run passes.
//
// WHAT   You are handed a way to begin a run, and say whether a run that was
//        saved and killed goes on as if nothing had happened. The check hands
//        you one that does, and eight that do not.
// WHY    A checkpoint that forgets something trains on, and a loss that goes
//        down looks like any other. Only a comparison with a run that nobody
//        killed can tell.
// MIND   What is forgotten stays what it was in the run that resumes. An epoch
//        has 4 batches. Runs are compared bit for bit.
// READ   Weights that travel
// CHECK  cargo learn check killed_and_resumed

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
    // HOLE
    //| todo!("TODO(killed_and_resumed): compare with a run that nobody killed")
    const STEPS: usize = 12;
    let mut whole = new();
    let unbroken: Vec<u32> =
        (0..STEPS).map(|_| whole.step().to_bits()).collect();
    (0..STEPS).all(|killed| {
        let (mut run, mut losses) = (new(), Vec::new());
        let mut saved = run.save();
        for _ in 0..killed {
            losses.push(run.step().to_bits());
            saved = run.save();
        }
        let mut again = new();
        again.resume(&saved);
        let rest = (killed..STEPS).map(|_| again.step().to_bits());
        losses.extend(rest);
        losses == unbroken
    })
    // END HOLE
}
