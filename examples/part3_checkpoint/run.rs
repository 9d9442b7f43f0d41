//! A training run that can be saved to a file and resumed. The tests use this
//! module too.

use std::path::Path;

use rungrad::Error;
use rungrad::data::{Dataset, SPLIT_SEED, digits};
use rungrad::io;
use rungrad::loader::Loader;
use rungrad::nn::{Linear, Module, Parameters, Sequential};
use rungrad::optim::{AdamW, Optimizer};
use rungrad::part3_unified::{Device, Tensor};
use rungrad::rng::Random;

/// Everything that the next step depends on, except the program itself.
pub(crate) struct Run {
    pub(crate) network: Sequential,
    pub(crate) adam: AdamW,
    pub(crate) loader: Loader<Dataset>,
    pub(crate) random: Random,
    pub(crate) step: u64,
    device: Device,
}

impl Run {
    /// Starts a new run: a small, untrained network for the digits.
    pub(crate) fn new(seed: u64, device: Device) -> Result<Run, Error> {
        let mut random = Random::new(seed);
        let mut network = Sequential::new()
            .then(Linear::new(64, 16, &mut random))
            .then(Tensor::relu)
            .then(Linear::new(16, 10, &mut random));
        network.to(device)?;
        let (adam, rows) =
            (AdamW::new(3e-3, 0.01), digits().split(SPLIT_SEED).0);
        let loader = Loader::new(rows, 32, seed);
        Ok(Run { network, adam, loader, random, step: 0, device })
    }

    // ANCHOR: parts
    /// Lists the parts of a checkpoint.
    pub(crate) fn parts(&mut self) -> [io::Part<'_>; 5] {
        [
            ("model", &mut self.network),
            ("adam", &mut self.adam),
            ("loader", &mut self.loader),
            ("random", &mut self.random),
            ("step", &mut self.step),
        ]
    }
    // ANCHOR_END: parts

    /// Takes a step and returns its loss. Random ink is added to every pixel,
    /// so that no digit is seen twice in the same form.
    pub(crate) fn step(&mut self) -> Result<f32, Error> {
        let batch = self.loader.next_batch();
        let seed = self.random.bits();
        let noise = Tensor::rand(&batch.shape(), seed, self.device)?;
        let x = Tensor::new(&batch.shape(), &batch.inputs, self.device)?;
        let scores = self.network.forward(&(x + noise * 0.2));
        let loss = scores.cross_entropy(&batch.labels);
        loss.backward();
        self.adam.step(self.network.parameters_mut());
        self.step += 1;
        loss.item()
    }

    // ANCHOR: train
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
    // ANCHOR_END: train
}
