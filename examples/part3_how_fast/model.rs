//! Predicts the duration of a step from three prices.

use std::fmt;

use rungrad::Error;
use rungrad::ledger::Counts;
use rungrad::part3_unified::{Device, Tensor, no_grad};
use rungrad::stopwatch::Seconds;

use super::clock::seconds;

// ANCHOR: model
/// The prices of a launch, a byte and a multiply-add on a device, in seconds.
pub(crate) struct Model {
    launch: f64,
    byte: f64,
    multiply_add: f64,
    /// The sizes at which the last two were measured.
    sizes: [usize; 2],
}

impl Model {
    /// Predicts the seconds of a step from the ledger's counts.
    pub(crate) fn predict(&self, counts: &Counts) -> f64 {
        counts.launches as f64 * self.launch
            + counts.bytes_reached as f64 * self.byte
            + counts.products as f64 * self.multiply_add
    }
}
// ANCHOR_END: model

// ANCHOR: three-numbers
impl Model {
    /// Measures the three prices: with a launch that does nothing, with a copy
    /// too large for any cache, and with a matmul large enough to keep the
    /// device busy.
    pub(crate) fn measure(
        device: Device,
        is_card: bool,
        patience: f64,
    ) -> Result<Model, Error> {
        let [n, side] = if is_card { [1 << 28, 4096] } else { [1 << 24, 1024] };
        let one = Tensor::rand(&[1], 1, device)?;
        let many = Tensor::rand(&[n], 2, device)?;
        let matrix = Tensor::rand(&[side, side], 3, device)?;
        let time = |work: &dyn Fn() -> Tensor| {
            let work = || drop(no_grad(work));
            seconds(&mut { work }, device, patience)
        };
        let launch = time(&|| one.mul(&one))?;
        let copy = time(&|| many.scale(2.0))?;
        let matmul = time(&|| matrix.matmul(&matrix))?;
        Ok(Model {
            launch,
            byte: copy / (8 * n) as f64,
            multiply_add: matmul / side.pow(3) as f64,
            sizes: [n, side],
        })
    }
}
// ANCHOR_END: three-numbers

impl fmt::Display for Model {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [n, side] = self.sizes;
        writeln!(
            f,
            "a launch   {:>8}           x * x of one number",
            Seconds(self.launch)
        )?;
        writeln!(
            f,
            "bytes      {:>8.1} GB/s      x * 2 of {n} numbers",
            1e-9 / self.byte
        )?;
        write!(
            f,
            "FMAs       {:>8.1} G/s       two matrices of {side} x {side}",
            1e-9 / self.multiply_add
        )
    }
}
