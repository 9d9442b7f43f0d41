//! Trains a network in `f32`, in `f16`, and in mixed precision, with loss
//! scaling and without. It runs on the device that RUNGRAD_DEVICE names, or
//! else on the processor.

use std::process::ExitCode;

use rungrad::nn::{Linear, Module, Parameters};
use rungrad::optim::{Adam, Optimizer};
use rungrad::part3_unified::{
    Array, Context, DType, Device, Function, Gradients, Op, Tensor, apply,
    no_grad,
};
use rungrad::rng::Random;
use rungrad::{Error, Result};

fn main() -> ExitCode {
    rungrad::run(|| {
        let device = Device::from_env()?;
        println!("{:<20}zeros  skipped      scale   error", "");
        for (what, way) in [
            ("all in f32", Way::All(DType::F32)),
            ("all in f16", Way::All(DType::F16)),
            ("mixed, not scaled", Way::Mixed(Scale::fixed(1.0))),
            ("mixed, scaled", Way::Mixed(Scale::fixed(4096.0))),
            ("mixed, scale found", Way::Mixed(Scale::found())),
        ] {
            let Report { zeros, skipped, scale, error } = train(way, device)?;
            println!(
                "{what:<20}{:>3.0} %  {skipped:>7}  {scale:>9}  {:>4.1} %",
                100.0 * zeros,
                100.0 * error,
            );
        }
        Ok(())
    })
}

// ANCHOR: scaled
/// The identity, except that its gradient is multiplied by a number. Placed
/// before the conversion to `f16`, it undoes the scaling of the loss in `f32`.
struct GradientTimes(f64);

impl Function for GradientTimes {
    fn op(&self) -> Op {
        Op::Custom("gradient_times")
    }

    fn forward(&self, _: &mut Context, inputs: &[&Array]) -> Result<Array> {
        Ok(inputs[0].clone())
    }

    fn backward(&self, _: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(grad_out.scale(self.0))]
    }
}
// ANCHOR_END: scaled

// ANCHOR: scale
/// The factor of the loss. It is a power of two, so scaling rounds nothing.
struct Scale {
    factor: f64,
    /// Number of consecutive steps with finite gradients, or `None` if the
    /// factor is fixed.
    good: Option<u32>,
}

impl Scale {
    fn fixed(factor: f64) -> Scale {
        Scale { factor, good: None }
    }

    /// Starts too high, so that the first steps find where gradients overflow.
    fn found() -> Scale {
        Scale { factor: 65536.0 * 256.0, good: Some(0) }
    }

    /// Updates the factor after a step. It is halved if a gradient was not
    /// finite, and doubled after a hundred finite steps.
    fn hear(&mut self, finite: bool) {
        let Some(good) = &mut self.good else { return };
        *good = if finite { *good + 1 } else { 0 };
        match (finite, *good) {
            (false, _) => self.factor /= 2.0,
            (true, 100) => (self.factor, *good) = (2.0 * self.factor, 0),
            _ => {}
        }
    }
}
// ANCHOR_END: scale

/// The types in which the network computes.
enum Way {
    All(DType),
    /// Weights in `f32`, matrix multiplications in `f16`.
    Mixed(Scale),
}

/// A network of two layers.
struct Network {
    hidden: Linear,
    out: Linear,
}

impl Module for Network {
    fn forward(&self, x: &Tensor) -> Tensor {
        self.out.forward(&self.hidden.forward(x).tanh()) * HEIGHT
    }
}

impl Parameters for Network {
    rungrad::parameters!(hidden, out);
}

// ANCHOR: halves
impl Network {
    /// Returns an `f16` copy of the network whose gradients flow back to this
    /// one.
    fn halves(&self, scale: f64) -> Result<Network> {
        let half = |layer: &Linear| {
            let of = |parameter| {
                let way = GradientTimes(1.0 / scale);
                apply(way, &[parameter]).to_dtype(DType::F16)
            };
            Ok(Linear { weight: of(&layer.weight)?, bias: of(&layer.bias)? })
        };
        Ok(Network { hidden: half(&self.hidden)?, out: half(&self.out)? })
    }
}
// ANCHOR_END: halves

/// The results of a training run.
struct Report {
    /// Fraction of gradient elements that were zero, over all steps.
    zeros: f64,
    /// Number of steps that were skipped.
    skipped: usize,
    /// The final factor of the loss.
    scale: f64,
    /// Root mean square error, as a fraction of the height of the curve.
    error: f32,
}

const POINTS: usize = 256;
const STEPS: usize = 300;
/// The height of the curve. The network's output is scaled by it.
const HEIGHT: f32 = 1e-3;

fn train(mut way: Way, device: Device) -> Result<Report> {
    let mut random = Random::new(0);
    let mut network = Network {
        hidden: Linear::new(1, 16, &mut random),
        out: Linear::new(16, 1, &mut random),
    };
    network.to(device)?;
    let x = Tensor::linspace(-1.0, 1.0, POINTS, device)?;
    let x = x.reshape(&[POINTS, 1]);
    let y = (&x * 3.0 + 1.0).sin() * HEIGHT;
    let dtype = match way {
        Way::All(dtype) => dtype,
        Way::Mixed(_) => DType::F16,
    };
    if let Way::All(dtype) = way {
        network.to_dtype(dtype)?;
    }
    let inputs = x.to_dtype(dtype)?;
    let mut adam = Adam::new(0.02);
    let (mut zeros, mut all, mut skipped) = (0, 0, 0);
    for _ in 0..STEPS {
        let finite = differentiate(&network, &way, &inputs, &y)?;
        if let Way::Mixed(scale) = &mut way {
            scale.hear(finite);
        }
        for (_, parameter) in network.parameters() {
            let grad: Vec<f32> = parameter.grad().expect("one").to_vec()?;
            zeros += grad.iter().filter(|x| **x == 0.0).count();
            all += grad.len();
        }
        match finite {
            true => adam.step(network.parameters_mut()),
            false => {
                network.zero_grad();
                skipped += 1;
            }
        }
    }
    let scale = match &way {
        Way::All(_) => 1.0,
        Way::Mixed(scale) => scale.factor,
    };
    network.to_dtype(DType::F32)?;
    let error = no_grad(|| network.forward(&x).mse(&y).sqrt() / HEIGHT);
    let zeros = zeros as f64 / all as f64;
    Ok(Report { zeros, skipped, scale, error: error.item()? })
}

// ANCHOR: step
/// Computes the gradients and returns whether all of them are finite.
fn differentiate(
    network: &Network,
    way: &Way,
    x: &Tensor,
    y: &Tensor,
) -> Result<bool> {
    let (scale, answers) = match way {
        Way::All(_) => (1.0, network.forward(x)),
        Way::Mixed(scale) => {
            let halves = network.halves(scale.factor)?;
            (scale.factor, halves.forward(x))
        }
    };
    // The loss itself is computed in `f32`.
    let loss = answers.to_dtype(DType::F32)?.mse(y);
    (loss * scale).backward();
    is_finite(network)
}
// ANCHOR_END: step

/// Returns whether every gradient is finite.
fn is_finite(network: &Network) -> Result<bool, Error> {
    for (_, parameter) in network.parameters() {
        let grad = parameter.grad().expect("a gradient");
        // Infinity or NaN times 0 is NaN; every finite value gives 0.
        if !grad.scale(0.0).sum().item()?.is_finite() {
            return Ok(false);
        }
    }
    Ok(true)
}
