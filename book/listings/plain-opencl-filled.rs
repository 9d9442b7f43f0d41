/// Allocates a storage of `n` elements and lets `launch` fill it.
fn filled(
    &self,
    n: usize,
    launch: impl FnOnce(&Buffer<f32>) -> Result<()>,
) -> Result<Shared> {
    let out = self.gpu.allocate(n.max(1))?;
    if n > 0 {
        launch(&out)?;
    }
    ledger::count(|counts| counts.storages += 1);
    Ok(Arc::new(Values { buffer: out, len: n }))
}

/// Prepares a launch with one work-item per element of the result.
fn each<'a>(&self, kernel: &Kernel, n: usize) -> Launch<'a> {
    self.gpu.launch(kernel).global(n).local(GROUP)
}

/// Returns a storage that begins with the elements of `a` in row-major
/// order: its own storage if the elements are there already, or else a
/// copy.
fn dense(&self, a: &Array) -> Result<Shared> {
    match a.is_dense() && a.offset() == 0 {
        true => Ok(a.storage().clone()),
        false => self.copy(a),
    }
}
