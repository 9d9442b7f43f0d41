//! How a GPT learns, from names or from a text: the loop, its rate, and the
//! loss on what was held out. `part3_shakespeare` and the tests train by it
//! too.

use rungrad::Error;
use rungrad::data::TokenBatch;
use rungrad::loader::{Loader, Rows};
use rungrad::nn::{Gpt, Module};
use rungrad::optim::{AdamW, Optimizer, Schedule};
use rungrad::part3_unified::{Device, Tensor, no_grad};

// ANCHOR: loss
/// Computes the mean loss of the targets of a batch, in nats.
pub(crate) fn loss(gpt: &Gpt, batch: &TokenBatch) -> Tensor {
    let scores = gpt.scores(&batch.inputs, batch.columns);
    scores.weighted_cross_entropy(&batch.targets, &batch.weights)
}
// ANCHOR_END: loss

/// Makes an optimizer: matrices decay, and what is added or multiplied alone
/// does not.
pub(crate) fn optimizer(decay: f32) -> AdamW {
    let of_matrices =
        move |_: &str, p: &Tensor| if p.rank() > 1 { decay } else { 0.0 };
    let mut adam = AdamW::new(1e-3, decay).decay_by(of_matrices);
    adam.adam.betas = [0.9, 0.99];
    adam
}

// ANCHOR: train
/// Trains a network on the device where it is, as many steps as the schedule
/// has. `tell` hears every so many how many are done, and the mean loss since
/// it heard last; meanwhile the network does not train.
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
        // The sum stays on the device: to read it is to wait.
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
// ANCHOR_END: train

/// Computes the mean loss of all targets of some rows, without learning from
/// them.
pub(crate) fn examine<R: Rows<Batch = TokenBatch>>(
    gpt: &Gpt,
    rows: &R,
    at_once: usize,
) -> Result<f32, Error> {
    let all: Vec<usize> = (0..rows.count()).collect();
    examine_some(gpt, rows, &all, at_once)
}

/// Does so for the rows of these numbers alone.
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

/// Says on which device a program works, and what that is called.
pub(crate) fn place(device: Device) -> Result<String, Error> {
    Ok(format!("{device}: {}", device.name()?))
}
