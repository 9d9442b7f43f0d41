//! Seven runs of a small network, six of which have a bug, and the symptoms of
//! each.

use rungrad::Error;
use rungrad::data::Dataset;
use rungrad::nn::{Dropout, Linear, Module, Parameters, Sequential};
use rungrad::part3_unified::{AdamStep, Device, Tensor, no_grad};
use rungrad::rng::Random;

use super::planted::{Fault, RUNS};
use super::stack::{WIDTH, both, inputs};
use super::table::{numbers, show, words};

const STEPS: usize = 200;
const RATE: f64 = 0.003;
const BETAS: [f64; 2] = [0.9, 0.999];

/// Trains all seven and prints what the reader may know.
pub(crate) fn faults(device: Device) -> Result<(), Error> {
    let rows = both().0.select(&(0..400).collect::<Vec<_>>());
    for (letter, fault) in ('A'..).zip(RUNS) {
        println!("{}run {letter}", if letter == 'A' { "" } else { "\n" });
        let mut run = Run::new(fault, &rows, device)?;
        let mut seen = vec![words(&["step", "loss", "gradient", "moved"])];
        for step in 1..=STEPS {
            let found = run.step()?;
            if [1, 2, 3, 20, STEPS].contains(&step) {
                seen.push(numbers(&step.to_string(), &found, 3));
            }
        }
        show(&seen);
        let [first, second] = run.examined()?;
        println!("evaluated twice: {first:.3}, {second:.3}");
    }
    Ok(())
}

/// A run whose parameters are updated in place, as in PyTorch, by its own
/// implementation of Adam.
struct Run {
    fault: Fault,
    rows: Dataset,
    network: Sequential,
    /// The gradient, the mean and the mean square of each parameter.
    kept: Vec<[Tensor; 3]>,
    steps: i32,
    random: Random,
    device: Device,
}

impl Run {
    fn new(fault: Fault, rows: &Dataset, device: Device) -> Result<Run, Error> {
        let random = &mut Random::new(0);
        let mut network = Sequential::new()
            .then(Linear::new(WIDTH, 32, random))
            .then(Tensor::relu)
            .then(Dropout::new(0.3, random))
            .then(Linear::new(32, 10, random));
        network.to(device)?;
        if fault == Fault::ZeroWeights {
            for (_, parameter) in network.parameters_mut() {
                *parameter = parameter.zeros_like().requires_grad();
            }
        }
        let mut rows = rows.clone();
        if fault == Fault::LabelsMixed {
            Random::new(1).shuffle(&mut rows.labels);
        }
        let zeros = |p: &Tensor| [(); 3].map(|()| p.zeros_like());
        let parameters = network.parameters();
        let kept = parameters.iter().map(|(_, p)| zeros(p)).collect();
        let random = Random::new(2);
        Ok(Run { fault, rows, network, kept, steps: 0, random, device })
    }

    /// Takes a step. Returns the loss, the norm of the gradient, and the
    /// distance that a parameter moved, in units of a learning rate of 0.003.
    fn step(&mut self) -> Result<[f32; 3], Error> {
        let batch: Vec<usize> =
            (0..32).map(|_| self.random.below(self.rows.rows())).collect();
        let batch = self.rows.select(&batch);
        let scores = self.network.forward(&inputs(&batch, self.device)?);
        let loss = scores.cross_entropy(&batch.labels);
        loss.backward();

        self.steps += 1;
        let step = self.adam();
        let (mut length, mut moved, mut count) = (0.0, 0.0, 0);
        let parameters = self.network.parameters_mut().into_iter();
        for ((_, parameter), kept) in parameters.zip(&mut self.kept) {
            let new = parameter.grad().expect("backward was called");
            let grad = match self.fault {
                Fault::GradientsKept => no_grad(|| &kept[0] + &new),
                _ => new,
            };
            let before = [kept[1].array(), kept[2].array()];
            let after =
                parameter.array().adam_step(grad.array(), before, &step)?;
            let [better, mean, square] = after.map(Tensor::from);
            length += grad.norm().item()?.powi(2);
            moved += (&better - parameter.detach()).norm().item()?.powi(2);
            count += better.len();
            *kept = [grad, mean, square];
            *parameter = better.requires_grad();
        }
        let rates = RATE as f32 * (count as f32).sqrt();
        Ok([loss.item()?, length.sqrt(), moved.sqrt() / rates])
    }

    fn adam(&self) -> AdamStep {
        let whole = match self.fault {
            Fault::Uncorrected => [1.0; 2],
            _ => BETAS.map(|beta| 1.0 - beta.powi(self.steps)),
        };
        let rate = match self.fault {
            Fault::RateTooLarge => 100.0 * RATE,
            _ => RATE,
        };
        AdamStep {
            betas: BETAS,
            one_minus_betas: BETAS.map(|beta| 1.0 - beta),
            bias_correction: whole[1].sqrt(),
            epsilon: 1e-8,
            rate: -rate / whole[0],
            decay_factor: 1.0,
        }
    }

    /// Returns the loss of all rows, computed twice.
    fn examined(&self) -> Result<[f32; 2], Error> {
        if self.fault != Fault::StillTraining {
            self.network.eval();
        }
        let inputs = inputs(&self.rows, self.device)?;
        let exam = || {
            let scores = no_grad(|| self.network.forward(&inputs));
            scores.cross_entropy(&self.rows.labels).item()
        };
        Ok([exam()?, exam()?])
    }
}
