//! Trains a GPT on names or on a text: the loop, the learning rate, and the
//! loss on the test set. `part3_shakespeare` and the tests use this module
//! too.

use rungrad::Error;
use rungrad::data::TokenBatch;
use rungrad::loader::{Loader, Rows};
use rungrad::nn::{Gpt, Parameters};
use rungrad::optim::{AdamW, Optimizer, Schedule};
use rungrad::part3_unified::{Device, Tensor, no_grad};

// ANCHOR: loss
/// Returns the mean cross-entropy of a batch, in nats.
pub(crate) fn loss(gpt: &Gpt, batch: &TokenBatch) -> Tensor {
    let scores = gpt.scores(&batch.inputs, batch.columns);
    scores.weighted_cross_entropy(&batch.targets, &batch.weights)
}
// ANCHOR_END: loss

/// Creates an optimizer that applies weight decay to matrices only, not to
/// biases and scales.
pub(crate) fn optimizer(decay: f32) -> AdamW {
    let of_matrices =
        move |_: &str, p: &Tensor| if p.rank() > 1 { decay } else { 0.0 };
    let mut adam = AdamW::new(1e-3, decay).decay_by(of_matrices);
    adam.adam.betas = [0.9, 0.99];
    adam
}

/// Trains a network on its current device for as many steps as the schedule
/// has. After every `every` steps, `tell` is called in evaluation mode with
/// the number of steps and the mean loss since the last call.
pub(crate) fn train<R: Rows<Batch = TokenBatch>>(
    gpt: &mut Gpt,
    loader: &mut Loader<R>,
    adam: &mut AdamW,
    rates: &Schedule,
    every: usize,
    mut tell: impl FnMut(&Gpt, usize, f32) -> Result<(), Error>,
) -> Result<(), Error> {
    let device = gpt.head.device();
    let (mut total, mut since) = (Tensor::full(&[], 0.0, device)?, 0);
    for step in 0..rates.steps {
        let loss = loss(gpt, &loader.next_batch());
        loss.backward();
        adam.set_learning_rate(rates.rate(step));
        adam.step(gpt.parameters_mut());
        // The sum stays on the device, because reading it would wait for the
        // device.
        total += loss.detach();
        since += 1;
        if (step + 1) % every == 0 || step + 1 == rates.steps {
            gpt.eval();
            tell(gpt, step + 1, total.item()? / since as f32)?;
            gpt.train();
            (total, since) = (Tensor::full(&[], 0.0, device)?, 0);
        }
    }
    Ok(())
}

/// Computes the mean loss over all rows, without training.
pub(crate) fn examine<R: Rows<Batch = TokenBatch>>(
    gpt: &Gpt,
    rows: &R,
    at_once: usize,
) -> Result<f32, Error> {
    let all: Vec<usize> = (0..rows.count()).collect();
    examine_some(gpt, rows, &all, at_once)
}

/// Computes the mean loss over the rows with these indices, without training.
pub(crate) fn examine_some<R: Rows<Batch = TokenBatch>>(
    gpt: &Gpt,
    rows: &R,
    numbers: &[usize],
    at_once: usize,
) -> Result<f32, Error> {
    let (mut total, mut count) = (0.0, 0.0);
    for some in numbers.chunks(at_once) {
        let batch = rows.batch(some);
        let weight: f64 = batch.weights.iter().map(|&w| f64::from(w)).sum();
        let loss = no_grad(|| loss(gpt, &batch)).item()?;
        total += f64::from(loss) * weight;
        count += weight;
    }
    Ok((total / count) as f32)
}

/// Returns the name of a device and a description of its hardware.
pub(crate) fn place(device: Device) -> Result<String, Error> {
    Ok(format!("{device}: {}", device.name()?))
}
