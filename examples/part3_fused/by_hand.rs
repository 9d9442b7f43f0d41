//! A handwritten kernel that fuses two operations.

// Launching a kernel of our own requires a promise that it stays in bounds.
#![allow(unsafe_code)]

use rungrad::Error;
use rungrad::opencl::{Gpu, Source};

const TEXT: &str = include_str!("by_hand.cl");

/// Adds a bias row to each row of a matrix, then applies ReLU.
pub(crate) fn bias_relu(
    gpu: &Gpu,
    x: &[f32],
    bias: &[f32],
) -> Result<Vec<f32>, Error> {
    let (n, columns) = (x.len(), bias.len());
    let (x, bias) = (gpu.upload(x)?, gpu.upload(bias)?);
    let out = gpu.allocate::<f32>(n)?;
    let source = Source::new("by_hand.cl", TEXT, "bias_relu");
    let launch = gpu
        .launch_source(&source)
        .input(&x, n)
        .input(&bias, columns)
        .output(&out, n)
        .scalar(columns as u32)
        .scalar(n as u32)
        .global(n)
        .local(256);
    // SAFETY: the guard keeps each item below n, and the remainder of a
    // division by `columns` is below `columns`.
    unsafe { launch.run()? };
    out.read()
}
