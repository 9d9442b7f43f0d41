//! Checks `my_transformer`, the reader's parts in a network that learns to
//! spell.
//!
//! Each part is first checked alone, because a network that does not learn
//! does not show which part is wrong.

use std::process::ExitCode;
use std::ptr::fn_addr_eq;

use exercises::{Outcome, Stop, check, tier, without, wrong};
use rungrad::data::names;
use rungrad::loader::Loader;
use rungrad::nn::{Embedding, LayerNorm, Linear, Module, Parameters};
use rungrad::optim::{Adam, Optimizer};
use rungrad::part3_unified::{Device, Tensor, no_grad};
use rungrad::rng::Random;

exercises::yours!("part3_unified/my_transformer.rs");

type Attention = fn(&Tensor, &Tensor, &Tensor) -> Tensor;
type Norm = fn(&Tensor, &Tensor, &Tensor) -> Tensor;
type Step = fn(&Tensor, &Tensor, &mut Moments, f32) -> Tensor;

/// The state of Adam for one weight.
pub struct Moments {
    /// The running mean of its gradients.
    pub mean: Tensor,
    /// The running mean of their squares.
    pub square: Tensor,
    /// The number of steps taken before.
    pub steps: i32,
}

impl Moments {
    fn of(weight: &Tensor) -> Moments {
        let [mean, square] = [weight.zeros_like(), weight.zeros_like()];
        Moments { mean, square, steps: 0 }
    }
}

/// The parts of the network that the reader may replace.
#[derive(Clone, Copy)]
pub struct Parts {
    /// Queries, keys and values, each (n, places, d) -> (n, places, d).
    pub attention: Attention,
    /// Rows, a weight and a bias -> rows.
    pub layer_norm: Norm,
    /// A weight and its gradient -> the updated weight.
    pub adam: Step,
}

static OURS: Parts = Parts {
    attention: Tensor::causal_attention,
    layer_norm: |x, weight, bias| x.layer_norm(weight, bias, 1e-5),
    adam: our_adam,
};

/// A step, composed from the operations that the engine's kernel fuses.
fn our_adam(w: &Tensor, g: &Tensor, m: &mut Moments, rate: f32) -> Tensor {
    m.steps += 1;
    m.mean = m.mean.scale(0.9).add(&g.scale(0.1));
    m.square = m.square.scale(0.99).add(&g.mul(g).scale(0.01));
    let [first, second] = [0.9_f32, 0.99].map(|b| 1.0 - b.powi(m.steps));
    let root = m.square.scale(1.0 / second).sqrt().shift(1e-8);
    w.sub(&m.mean.scale(rate / first).div(&root))
}

impl Parts {
    /// Returns the engine's own parts.
    pub fn reference() -> Parts {
        OURS
    }

    /// Returns the names of the parts that differ from the engine's, and of
    /// the others.
    fn owners(&self) -> (Vec<&'static str>, Vec<&'static str>) {
        let all = [
            ("attention", fn_addr_eq(self.attention, OURS.attention)),
            ("layer_norm", fn_addr_eq(self.layer_norm, OURS.layer_norm)),
            ("adam", fn_addr_eq(self.adam, OURS.adam)),
        ];
        let of = |ours| {
            let its = all.iter().filter(|(_, is_ours)| *is_ours == ours);
            its.map(|(name, _)| *name).collect()
        };
        (of(false), of(true))
    }
}

fn main() -> ExitCode {
    check(
        "my_transformer",
        YOURS,
        &[
            ("at least one part is yours", owners),
            ("your parts are your own code", written),
            ("attention has the right values and gradients", attention),
            ("layer_norm has the right values and gradients", layer_norm),
            ("three steps of adam give the same result as the engine's", adam),
            ("a network with your parts learns to spell", learns),
        ],
    )
}

fn owners(_: &()) -> Outcome {
    let (yours, ours) = yours::parts().owners();
    if yours.is_empty() {
        return Err(wrong(
            "All three parts are the engine's. Use at least one of your own: \
             `Parts { layer_norm, ..Parts::reference() }`.",
        ));
    }
    tier("parts", &yours, &ours);
    Ok(())
}

fn written(_: &()) -> Outcome {
    without(
        YOURS,
        &[
            "causal_attention",
            "self_attention",
            ".layer_norm(",
            "LayerNorm",
            "AdamW",
            "Adam::",
            "reference().",
        ],
        "that is the engine's own part. Leave out the parts that you do not \
         write: `..Parts::reference()`.",
    )
}

fn drawn(shape: &[usize], seed: u64) -> Result<Tensor, Stop> {
    Ok(Tensor::randn(shape, seed, Device::Cpu)?.requires_grad())
}

/// Returns the largest difference between two tensors of the same shape.
fn apart(yours: &Tensor, right: &Tensor) -> Result<f32, Stop> {
    if yours.shape() != right.shape() {
        return Ok(f32::INFINITY);
    }
    let gaps = yours.to_vec()?.into_iter().zip(right.to_vec()?);
    let largest = |most: f32, (a, b): (f32, f32)| {
        let gap = (a - b).abs();
        if gap.is_nan() { f32::INFINITY } else { most.max(gap) }
    };
    Ok(gaps.fold(0.0, largest))
}

/// Compares a part with ours, forward and backward.
fn part(
    name: &str,
    yours: impl Fn(&[Tensor; 3]) -> Tensor,
    right: impl Fn(&[Tensor; 3]) -> Tensor,
    operands: [&str; 3],
    new: impl Fn() -> Result<[Tensor; 3], Stop>,
) -> Outcome {
    let (mine, theirs) = (new()?, new()?);
    let (found, wanted) = (yours(&mine), right(&theirs));
    if found.shape() != wanted.shape() {
        return Err(wrong(format!(
            "The result of {name} has the shape {:?}, but {:?} was expected.",
            found.shape(),
            wanted.shape()
        )));
    }
    if apart(&found, &wanted)? > 1e-4 {
        let row = |t: &Tensor| -> Result<Vec<f32>, Stop> {
            Ok(t.to_vec()?.into_iter().take(8).collect())
        };
        return Err(wrong(format!(
            "The values of {name} are wrong. The first of them:\n\n  yours  \
             {:.4?}\n  right  {:.4?}",
            row(&found)?,
            row(&wanted)?
        )));
    }
    let weights = Tensor::randn(found.shape(), 9, Device::Cpu)?;
    for out in [found, wanted] {
        if out.id().is_none() {
            return Err(wrong(format!(
                "The result of {name} has the right values but no graph: use \
                 operations that are recorded."
            )));
        }
        out.mul(&weights).sum().backward();
    }
    for ((yours, right), operand) in mine.iter().zip(&theirs).zip(operands) {
        let right = right.grad().expect("the engine's backward");
        let near = match yours.grad() {
            Some(yours) => apart(&yours, &right)? < 1e-3,
            None => false,
        };
        if !near {
            return Err(wrong(format!(
                "The values of {name} are right, but the gradient of its \
                 {operand} is not: did you detach something?"
            )));
        }
    }
    Ok(())
}

fn attention(_: &()) -> Outcome {
    let parts = yours::parts();
    part(
        "attention",
        |[q, k, v]| (parts.attention)(q, k, v),
        |[q, k, v]| q.causal_attention(k, v),
        ["queries", "keys", "values"],
        || {
            let shape = [2, 5, 4];
            Ok([drawn(&shape, 1)?, drawn(&shape, 2)?, drawn(&shape, 3)?])
        },
    )
}

fn layer_norm(_: &()) -> Outcome {
    let parts = yours::parts();
    for shape in [&[3, 6][..], &[2, 3, 6]] {
        part(
            "layer_norm",
            |[x, weight, bias]| (parts.layer_norm)(x, weight, bias),
            |[x, weight, bias]| x.layer_norm(weight, bias, 1e-5),
            ["rows", "weight", "bias"],
            || Ok([drawn(shape, 1)?, drawn(&[6], 2)?, drawn(&[6], 3)?]),
        )?;
    }
    Ok(())
}

fn adam(_: &()) -> Outcome {
    let parts = yours::parts();
    let mut right = drawn(&[5], 1)?;
    let mut yours = right.detach();
    let mut moments = Moments::of(&yours);
    let mut engine = Adam::new(0.1);
    engine.betas = [0.9, 0.99];
    for step in 1..=3 {
        let grad = Tensor::randn(&[5], 10 + step, Device::Cpu)?;
        right.mul(&grad).sum().backward();
        engine.step(vec![("weight".to_string(), &mut right)]);
        let (weight, grad) = (yours.detach(), grad.detach());
        yours = (parts.adam)(&weight, &grad, &mut moments, 0.1);
        if apart(&yours, &right)? > 1e-4 {
            let why = match step {
                1 => {
                    "Both running means begin at 0; divide each by its bias \
                     correction."
                }
                _ => {
                    "The first step was right: are the running means stored, \
                     is each step counted, and is each mean divided by its \
                     bias correction?"
                }
            };
            return Err(wrong(format!(
                "Step {step} gives a wrong result. {why}\n\n  yours  {:.5?}\n  \
                 right  {:.5?}",
                yours.to_vec()?,
                right.to_vec()?
            )));
        }
    }
    Ok(())
}

const WIDTH: usize = 16;
const CONTEXT: usize = 16;
const STEPS: usize = 60;

fn learns(_: &()) -> Outcome {
    let right = losses(Parts::reference())?;
    let yours = losses(yours::parts())?;
    let (first, last) = (yours[0], yours[STEPS - 1]);
    println!("  in {STEPS} steps its loss fell from {first:.3} to {last:.3}");
    let mut pairs = yours.iter().zip(&right);
    match pairs.position(|(a, b)| (a - b).is_nan() || (a - b).abs() > 1e-2) {
        None => Ok(()),
        Some(step) => Err(wrong(format!(
            "In step {step} its loss is {}, but with the engine's parts it is \
             {}. Each part alone was right: does one of them keep state from a \
             previous step, or assume certain shapes?",
            yours[step], right[step]
        ))),
    }
}

/// Trains a network of one block on names and returns its losses.
fn losses(parts: Parts) -> Result<Vec<f32>, Stop> {
    let mut network = Network::new(parts)?;
    let mut moments: Vec<Moments> = network
        .parameters()
        .iter()
        .map(|(_, weight)| Moments::of(weight))
        .collect();
    let mut loader = Loader::new(names().whole(CONTEXT), 16, 0);
    let mut losses = Vec::new();
    for _ in 0..STEPS {
        let batch = loader.next_batch();
        let scores = network.scores(&batch.inputs);
        let loss =
            scores.weighted_cross_entropy(&batch.targets, &batch.weights);
        loss.backward();
        losses.push(loss.item()?);
        let all = network.parameters_mut().into_iter().zip(&mut moments);
        for ((_, weight), moments) in all {
            let grad = weight.grad().expect("each part is used");
            let (before, grad) = (weight.detach(), grad.detach());
            let step = || (parts.adam)(&before, &grad, moments, 1e-2);
            *weight = no_grad(step).detach().requires_grad();
        }
    }
    Ok(losses)
}

/// A transformer of one block and one head.
struct Network {
    parts: Parts,
    tokens: Embedding,
    places: Tensor,
    norms: [LayerNorm; 3],
    qkv: Linear,
    out: Linear,
    up: Linear,
    down: Linear,
    head: Linear,
}

impl Network {
    fn new(parts: Parts) -> Result<Network, Stop> {
        let random = &mut Random::new(0);
        let places = Tensor::randn(&[CONTEXT, WIDTH], 7, Device::Cpu)?;
        Ok(Network {
            parts,
            tokens: Embedding::new(27, WIDTH, random),
            places: (places * 0.1).detach().requires_grad(),
            norms: [0; 3].map(|_| LayerNorm::new(WIDTH)),
            qkv: Linear::new(WIDTH, 3 * WIDTH, random),
            out: Linear::new(WIDTH, WIDTH, random),
            up: Linear::new(WIDTH, 2 * WIDTH, random),
            down: Linear::new(2 * WIDTH, WIDTH, random),
            head: Linear::new(WIDTH, 27, random),
        })
    }

    fn scores(&self, tokens: &[usize]) -> Tensor {
        let shape = [tokens.len() / CONTEXT, CONTEXT, WIDTH];
        let x = self.tokens.rows(tokens).reshape(&shape);
        self.forward(&x.add(&self.places))
    }
}

impl Module for Network {
    fn forward(&self, x: &Tensor) -> Tensor {
        let norm = |at: usize, x: &Tensor| {
            let LayerNorm { weight, bias, .. } = &self.norms[at];
            (self.parts.layer_norm)(x, weight, bias)
        };
        let qkv = self.qkv.forward(&norm(0, x));
        let part = |i: usize| qkv.slice((.., .., i * WIDTH..(i + 1) * WIDTH));
        let seen = (self.parts.attention)(&part(0), &part(1), &part(2));
        let x = x.add(&self.out.forward(&seen));
        let wide = self.up.forward(&norm(1, &x)).gelu();
        let x = x.add(&self.down.forward(&wide));
        let rows = norm(2, &x).reshape(&[x.len() / WIDTH, WIDTH]);
        self.head.forward(&rows)
    }
}

impl Parameters for Network {
    rungrad::parameters!(tokens, places, norms, qkv, out, up, down, head);
}
