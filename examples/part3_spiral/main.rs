//! A model with a custom operation, module and device learns to separate two
//! spirals. It is saved halfway and resumed from the file.
//!
//! ```sh
//! RUNGRAD_DEVICE=counting cargo run --example part3_spiral
//! ```

mod counting;

use std::f32::consts::TAU;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use rungrad::io;
use rungrad::metrics::{accuracy, predictions};
use rungrad::nn::{Linear, Module, Parameters};
use rungrad::optim::{Adam, Optimizer};
use rungrad::part3_unified::{
    Array, Binary, Context, Device, Function, Gradients, Op, Tensor, Unary,
    apply, no_grad,
};
use rungrad::rng::Random;
use rungrad::{Error, Result};

use counting::{Asked, COUNTING};

/// `e^(-x^2)`: 1 at 0, and nearly 0 far from it.
fn bump(x: &Tensor) -> Tensor {
    apply(Bump, &[x])
}

struct Bump;

impl Function for Bump {
    fn op(&self) -> Op {
        Op::Custom("bump")
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        let x = inputs[0];
        let y = x.binary(Binary::Mul, x)?.unary(Unary::Scale(-1.0))?;
        let y = y.unary(Unary::Exp)?;
        ctx.save_input(0, x);
        ctx.save_output(&y);
        Ok(y)
    }

    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients {
        vec![Some(grad_out * ctx.output() * ctx.input(0) * -2.0)]
    }
}

// ANCHOR: model
/// Layers of bumps, and scores for two classes.
struct Spiral {
    hidden: Vec<Linear>,
    out: Linear,
    /// One parameter shared by all bumps: how narrow they are.
    narrow: Tensor,
}

impl Module for Spiral {
    fn forward(&self, x: &Tensor) -> Tensor {
        let layers = self.hidden.iter();
        let x = layers.fold(x.clone(), |x, layer| {
            bump(&(layer.forward(&x) * &self.narrow))
        });
        self.out.forward(&x)
    }
}

impl Parameters for Spiral {
    rungrad::parameters!(hidden, out, narrow);
}

impl Spiral {
    fn new(seed: u64) -> Result<Spiral> {
        let mut random = Random::new(seed);
        let mut layer = |from, to| Linear::new(from, to, &mut random);
        Ok(Spiral {
            hidden: vec![layer(2, 16), layer(16, 16)],
            out: layer(16, 2),
            narrow: Tensor::new(&[], &[1.0], Device::Cpu)?.requires_grad(),
        })
    }
}
// ANCHOR_END: model

/// Returns points on two spiral arms, rotated by half a turn.
fn points(rows: usize) -> (Vec<f32>, Vec<usize>) {
    let point = |i: usize| {
        let (arm, far) = (i % 2, (1 + i / 2) as f32 / (rows / 2) as f32);
        let angle = TAU * (1.5 * far + 0.5 * arm as f32);
        [far * angle.cos(), far * angle.sin()]
    };
    let labels = (0..rows).map(|i| i % 2).collect();
    ((0..rows).flat_map(point).collect(), labels)
}

// ANCHOR: spiral
fn main() -> ExitCode {
    rungrad::run(|| {
        Device::register(&COUNTING);
        let device = Device::from_env()?;
        let (x, labels) = points(120);
        let x = Tensor::new(&[labels.len(), 2], &x, device)?;

        let mut model = Spiral::new(1)?;
        model.to(device)?;
        println!("{}\n", model.summary());
        learn(&mut model, &x, &labels)?;

        let path = file()?;
        io::save(&path, &model)?;
        println!("saved, and loaded into another model");
        let mut model = Spiral::new(2)?;
        model.to(device)?;
        io::load(&path, &mut model)?;
        learn(&mut model, &x, &labels)?;

        println!("\ncalls of the counting device\n{Asked}");
        Ok(())
    })
}

/// Takes a hundred steps and prints the results.
fn learn(model: &mut Spiral, x: &Tensor, labels: &[usize]) -> Result<()> {
    tell("before", model, x, labels)?;
    let mut adam = Adam::new(0.02);
    for _ in 0..100 {
        model.forward(x).cross_entropy(labels).backward();
        adam.step(model.parameters_mut());
    }
    tell("after", model, x, labels)
}

fn tell(
    when: &str,
    model: &Spiral,
    x: &Tensor,
    labels: &[usize],
) -> Result<()> {
    let scores = no_grad(|| model.forward(x));
    let loss = scores.cross_entropy(labels).to_vec()?[0];
    let right = accuracy(labels, &predictions(&scores.to_vec()?, 2));
    println!("{when:<7} loss {loss:.4}  right {:.1} %", 100.0 * right);
    Ok(())
}
// ANCHOR_END: spiral

/// Returns a path in `target`, the folder for generated files.
fn file() -> Result<PathBuf> {
    let folder = Path::new("target");
    let refused = |error| Error::File(format!("{}: {error}", folder.display()));
    fs::create_dir_all(folder).map_err(refused)?;
    Ok(folder.join("spiral.safetensors"))
}
