//! Code shared by the programs that train on tokens.

pub(crate) mod ranks;

use std::ops::Range;

use rungrad::data::TokenBatch;
use rungrad::nn::Gpt;
use rungrad::opencl::{self, Kind};
use rungrad::{Device, Result, Tensor};

/// Returns the device of a rank: `cpu`, or the next of all GPUs. Without a GPU,
/// the ranks share the OpenCL devices that are processors. A device with a
/// number, such as `gpu:1`, is the device of all ranks.
pub(crate) fn device(name: &str, rank: usize) -> Result<Device> {
    if !["gpu", "fused"].contains(&name) {
        return name.parse();
    }
    let found = opencl::devices()?;
    let gpus = found.iter().filter(|it| it.kind == Kind::Gpu).count();
    let count = if gpus == 0 { found.len() } else { gpus };
    format!("{name}:{}", rank % count.max(1)).parse()
}

/// Returns the number of tokens to predict in each row.
pub(crate) fn row_weights(batch: &TokenBatch) -> Vec<f32> {
    let rows = batch.weights.chunks(batch.columns);
    rows.map(|row| row.iter().sum()).collect()
}

/// Returns the mean loss of the tokens in some rows of a batch.
pub(crate) fn loss(
    gpt: &Gpt,
    batch: &TokenBatch,
    rows: Range<usize>,
) -> Tensor {
    let tokens = rows.start * batch.columns..rows.end * batch.columns;
    let scores = gpt.scores(&batch.inputs[tokens.clone()], batch.columns);
    let weights = &batch.weights[tokens.clone()];
    scores.weighted_cross_entropy(&batch.targets[tokens], weights)
}
