//! Thread-local switches: whether operations are recorded in the graph, and
//! whether a trace saves every value.

use std::cell::Cell;

thread_local! {
    pub(super) static RECORDING: Cell<bool> = const { Cell::new(true) };
    pub(super) static TRACING: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` without recording: its results have no graph.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor, no_grad};
/// let x = Tensor::new(&[1], &[3.0], Device::Cpu)?.requires_grad();
/// assert!(!no_grad(|| &x * &x).records());
/// # Ok::<(), rungrad::Error>(())
/// ```
pub fn no_grad<T>(work: impl FnOnce() -> T) -> T {
    scoped(&RECORDING, false, work)
}

/// Runs `work` with recording, even inside [`no_grad`] or inside a
/// [`Function::backward`](super::Function::backward), where recording is off
/// by default.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor, enable_grad, no_grad};
/// let x = Tensor::new(&[1], &[3.0], Device::Cpu)?.requires_grad();
/// no_grad(|| enable_grad(|| &x * &x).backward());
/// assert_eq!(x.grad().unwrap().to_vec()?, [6.0]);
/// # Ok::<(), rungrad::Error>(())
/// ```
pub fn enable_grad<T>(work: impl FnOnce() -> T) -> T {
    recording(true, work)
}

/// Runs `work` with recording on or off.
pub(in crate::part3_unified) fn recording<T>(
    on: bool,
    work: impl FnOnce() -> T,
) -> T {
    scoped(&RECORDING, on, work)
}

/// Runs `work` and saves every intermediate value, so that a tape of its
/// results can show them.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor, trace};
/// let x = Tensor::new(&[1], &[3.0], Device::Cpu)?.requires_grad();
/// let tape = trace(|| (&x * &x).backward_recorded());
/// assert_eq!(tape.records[1].values, Some(vec![9.0]));
/// # Ok::<(), rungrad::Error>(())
/// ```
pub fn trace<T>(work: impl FnOnce() -> T) -> T {
    scoped(&TRACING, true, work)
}

/// Sets a thread-local switch while `work` runs, and restores it even if
/// `work` panics.
fn scoped<T>(
    switch: &'static std::thread::LocalKey<Cell<bool>>,
    on: bool,
    work: impl FnOnce() -> T,
) -> T {
    struct Restore(&'static std::thread::LocalKey<Cell<bool>>, bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            self.0.set(self.1);
        }
    }
    let _restore = Restore(switch, switch.replace(on));
    work()
}
