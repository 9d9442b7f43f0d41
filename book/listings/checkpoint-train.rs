/// Trains up to step `last`, resuming from the file if it exists, and
/// writes the file again after every `every` steps.
pub(crate) fn train(
    &mut self,
    file: &Path,
    steps: u64,
    every: u64,
    mut tell: impl FnMut(u64, f32),
) -> Result<(), Error> {
    if file.exists() {
        io::resume(file, &mut self.parts())?;
    }
    while self.step < steps {
        let loss = self.step()?;
        if self.step.is_multiple_of(every) {
            io::checkpoint(file, &self.parts())?;
        }
        tell(self.step, loss);
    }
    Ok(())
}
