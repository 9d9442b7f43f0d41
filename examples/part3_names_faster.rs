//! Predicts and measures a training step of the transformer of "Names":
//! eagerly, lazily, and with 16-bit matmuls. The chapter is "The same names,
//! faster".
//!
//! ```sh
//! cargo run --release --example part3_names_faster
//! cargo run --release --example part3_names_faster -- --quick
//! ```
//!
//!   --quick  less time per row, with less accurate results

#[path = "part3_how_fast/clock.rs"]
mod clock;
#[path = "part3_how_fast/model.rs"]
mod model;

use std::process::ExitCode;

use rungrad::data::{TokenBatch, names};
use rungrad::error::raise;
use rungrad::ledger::{self, Counts};
use rungrad::loader::Rows;
use rungrad::nn::{Gpt, GptSizes, Parameters};
use rungrad::opencl::{Gpu, Kind};
use rungrad::optim::{AdamW, Optimizer};
use rungrad::part3_unified::{DType, Device, Tensor};
use rungrad::rng::Random;
use rungrad::stopwatch::{Seconds, machine};
use rungrad::{Error, Result, attempt};

use clock::{Step, seconds};
use model::Model;

const BATCH: usize = 64;
const CONTEXT: usize = 16;
/// The number of steps before the loss is printed.
const STEPS: usize = 50;

fn main() -> ExitCode {
    rungrad::run(|| {
        let (patience, steps) = match &rungrad::args()[..] {
            [] => (0.3, STEPS),
            [word] if word == "--quick" => (0.0, 1),
            words => {
                return Err(Error::Usage(format!(
                    "part3_names_faster takes --quick, not `{}`.",
                    words.join(" ")
                )));
            }
        };
        let gpu = Gpu::open(0)?;
        print!("{}", machine(&gpu));
        let is_card = gpu.info().kind == Kind::Gpu;
        let model = Model::measure(Device::Gpu(0), is_card, patience)?;
        println!("\n{model}\n");
        println!(
            "{:<14}{:>8}{:>7}{:>7}  predicted   measured          loss",
            "a step", "launches", "MB", "FMAs"
        );
        for (name, device, dtype) in [
            ("eager", Device::Gpu(0), DType::F32),
            ("lazy", Device::Fused(0), DType::F32),
            ("eager, mixed", Device::Gpu(0), DType::F16),
            ("lazy, mixed", Device::Fused(0), DType::F16),
        ] {
            let mut training = Training::new(device, dtype)?;
            for _ in 1..steps {
                drop(training.step()?);
            }
            let loss = training.step()?.item()?;
            let mut step: Step = Box::new(move || {
                if let Err(error) = training.step() {
                    raise(error);
                }
            });
            let counts = counted(&mut step)?;
            let predicted = model.predict(&counts);
            let measured = seconds(&mut step, device, patience)?;
            println!(
                "{name:<14}{:>8}{:>7.2}{:>6.1}M  {:>9}  {:>9} {:>5.2}x  {loss:.3}",
                counts.launches,
                counts.bytes_reached as f64 * 1e-6,
                counts.products as f64 * 1e-6,
                Seconds(predicted),
                Seconds(measured),
                measured / predicted,
            );
        }
        Ok(())
    })
}

/// A network in `f32`, and the type in which it computes.
struct Training {
    gpt: Gpt,
    adam: AdamW,
    batch: TokenBatch,
    dtype: DType,
}

impl Training {
    fn new(device: Device, dtype: DType) -> Result<Training> {
        let list = names();
        let sizes = GptSizes {
            vocabulary: list.vocabulary.size(),
            context: CONTEXT,
            layers: 4,
            heads: 4,
            width: 64,
            dropout: 0.0,
        };
        let mut gpt = Gpt::new(sizes, &mut Random::new(0));
        gpt.to(device)?;
        let rows: Vec<usize> = (0..BATCH).collect();
        let batch = list.whole(CONTEXT).batch(&rows);
        Ok(Training { gpt, adam: AdamW::new(3e-3, 0.01), batch, dtype })
    }

    // ANCHOR: step
    /// Takes a training step and returns the loss before it.
    fn step(&mut self) -> Result<Tensor> {
        let TokenBatch { inputs, targets, weights, .. } = &self.batch;
        let scores = match self.dtype {
            DType::F32 => self.gpt.scores(inputs, CONTEXT),
            dtype => {
                let mut copy = self.gpt.clone();
                let pairs = self
                    .gpt
                    .parameters()
                    .into_iter()
                    .zip(copy.parameters_mut());
                for ((_, weight), (_, copied)) in pairs {
                    *copied = weight.to_dtype(dtype)?;
                }
                copy.scores(inputs, CONTEXT).to_dtype(DType::F32)?
            }
        };
        let loss = scores.weighted_cross_entropy(targets, weights);
        // Adam divides by the size of the gradients, so nothing else has to
        // undo the scale of the loss.
        let scale = if self.dtype == DType::F16 { 1024.0 } else { 1.0 };
        (&loss * scale).backward();
        self.adam.step(self.gpt.parameters_mut());
        loss.realize()?;
        Ok(loss.detach())
    }
    // ANCHOR_END: step
}

/// Returns the counts of one warm step.
fn counted(step: &mut dyn FnMut()) -> Result<Counts> {
    attempt(|| {
        step();
        step();
        ledger::measure(step).1
    })
}
