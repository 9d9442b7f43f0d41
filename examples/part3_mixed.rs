//! A low curve is learned in 32 bits, in 16, and mixed, with the loss scaled and
//! not. It runs on the device that RUNGRAD_DEVICE names, else on the processor.

use std::process::ExitCode;

use rungrad::nn::{Linear, Module};
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
/// The operand as it is; its gradient times a number. In front of what is
/// rounded to 16 bits it takes back, in 32, by what the loss was scaled.
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
/// By what a loss is multiplied. It is a power of two, which rounds nothing.
struct Scale {
    factor: f64,
    /// So many steps in a row were good; none of them counts where the factor
    /// stays what it is.
    good: Option<u32>,
}

impl Scale {
    fn fixed(factor: f64) -> Scale {
        Scale { factor, good: None }
    }

    /// Begins high, so that the first steps find where numbers overflow.
    fn found() -> Scale {
        Scale { factor: 65536.0 * 256.0, good: Some(0) }
    }

    /// Hears whether all gradients of a step were finite: after a step that
    /// was not the factor is halved, after a hundred that were it is doubled.
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

/// In which types is computed.
enum Way {
    All(DType),
    /// Weights in 32 bits, products of 16.
    Mixed(Scale),
}

/// Two layers.
struct Network {
    hidden: Linear,
    out: Linear,
}

impl Module for Network {
    fn forward(&self, x: &Tensor) -> Tensor {
        self.out.forward(&self.hidden.forward(x).tanh()) * HEIGHT
    }

    rungrad::parameters!(hidden, out);
}

// ANCHOR: halves
impl Network {
    /// A network of 16 bits that leads its gradients back to this one.
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

/// What training has come to.
struct Report {
    /// The share of zeros in the gradients of all steps.
    zeros: f64,
    /// The steps that were not taken.
    skipped: usize,
    /// The last one.
    scale: f64,
    /// The root of the mean square of what is wrong, as a share of the height
    /// of the curve.
    error: f32,
}

const POINTS: usize = 256;
const STEPS: usize = 300;
/// The height of the curve: what the network says is in thousandths.
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
/// Leaves gradients in the network, and says whether all of them are finite.
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
    // The loss itself is computed in 32 bits.
    let loss = answers.to_dtype(DType::F32)?.mse(y);
    (loss * scale).backward();
    is_finite(network)
}
// ANCHOR_END: step

/// Says whether every gradient is a finite number.
fn is_finite(network: &Network) -> Result<bool, Error> {
    for (_, parameter) in network.parameters() {
        let grad = parameter.grad().expect("a gradient");
        // 0 times what is not finite is no number.
        if !grad.scale(0.0).sum().item()?.is_finite() {
            return Ok(false);
        }
    }
    Ok(true)
}
