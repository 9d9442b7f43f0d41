//! The figure of "What makes training work": a stack of layers for the digits,
//! the values and gradients of each layer, and the loss of its training.

use std::cell::RefCell;

use rungrad::Error;
use rungrad::data::{Dataset, SPLIT_SEED, digits};
use rungrad::part1_cpu::Tensor;
use rungrad::part1_cpu::nn::Linear;
use rungrad::part1_cpu::optim::Sgd;
use rungrad::rng::Random;
use serde_json::{Value, json};

use crate::gpt::normalize;
use crate::number;

const WIDTH: usize = 64;
const BATCH: usize = 32;
const MAX_DEPTH: usize = 30;
/// The exponents of ten of the first and the last bin of a histogram.
const EXPONENTS: [i32; 2] = [-15, 15];

struct Stack {
    layers: Vec<Linear>,
    norm: bool,
    residual: bool,
    sgd: Sgd,
    rows: Dataset,
    random: Random,
}

thread_local! {
    /// The network of this page, once it is created.
    static STACK: RefCell<Option<Stack>> = const { RefCell::new(None) };
}

/// Answers two requests: `begin`, with the standard deviation of the first
/// weights, the number of layers, and what is around a layer; and `steps`, with
/// the number of training steps.
pub(crate) fn answer(what: &str, words: &[&str]) -> Result<Value, Error> {
    match (what, words) {
        ("begin", [deviation, depth, around]) => {
            let mut stack = Stack::new(
                read(deviation, "standard deviation")?,
                read(depth, "number of layers")?,
                around,
            )?;
            let layers = stack.look();
            STACK.set(Some(stack));
            Ok(layers)
        }
        ("steps", [count]) => STACK.with_borrow_mut(|stack| {
            let stack = stack.as_mut().ok_or_else(|| {
                Error::Usage("no network has begun; begin one".to_string())
            })?;
            let count: usize = read(count, "number of steps")?;
            let losses = (0..count.min(100)).map(|_| stack.step());
            Ok(losses.map(|loss| number(loss.into())).collect())
        }),
        _ => Err(Error::Usage(
            "write `begin` with a standard deviation, a number of layers and \
             what is around them, or `steps` with a number"
                .to_string(),
        )),
    }
}

fn read<T: std::str::FromStr>(word: &str, what: &str) -> Result<T, Error> {
    word.parse().map_err(|_| {
        Error::Usage(format!("`{word}` is not a {what}; write for example 1"))
    })
}

impl Stack {
    /// Creates the layers with Kaiming's initialization, and scales the
    /// weights to the given standard deviation.
    fn new(deviation: f32, depth: usize, around: &str) -> Result<Stack, Error> {
        if !(1..=MAX_DEPTH).contains(&depth) {
            return Err(Error::Usage(format!(
                "the figure has 1 to {MAX_DEPTH} layers, not {depth}"
            )));
        }
        let random = &mut Random::new(0);
        let scale = deviation / (2.0 / WIDTH as f32).sqrt();
        let mut layer = |outputs| {
            let Linear { weight, bias } = Linear::new(WIDTH, outputs, random);
            let weight: Vec<f32> =
                weight.to_vec().iter().map(|it| it * scale).collect();
            Linear { weight: Tensor::new(&[WIDTH, outputs], &weight), bias }
        };
        let mut layers: Vec<Linear> =
            (0..depth).map(|_| layer(WIDTH)).collect();
        layers.push(layer(10));
        Ok(Stack {
            layers,
            norm: around.contains("norm"),
            residual: around.contains("residual"),
            sgd: Sgd::new(0.01, 0.9),
            rows: STACK.take().map_or_else(training_set, |stack| stack.rows),
            random: Random::new(0),
        })
    }

    /// Computes a hidden layer. As in the chapter, a norm comes after the
    /// matmul, or before it if there is a residual connection.
    fn hidden(&self, layer: &Linear, x: &Tensor) -> Tensor {
        match (self.norm, self.residual) {
            (false, false) => layer.forward(x).relu(),
            (true, false) => normalize(&layer.forward(x)).relu(),
            (false, true) => x.add(&layer.forward(x).relu()),
            (true, true) => x.add(&layer.forward(&normalize(x)).relu()),
        }
    }

    /// Runs forward and backward, layer by layer, so that each layer's outputs
    /// are leaves of the next one and keep their gradient. Returns these
    /// leaves and the loss.
    fn pass(&self, batch: &Dataset) -> (Vec<Tensor>, f32) {
        let mut inputs = vec![Tensor::new(&batch.shape(), &batch.inputs)];
        let mut outputs = Vec::new();
        let (last, hidden) = self.layers.split_last().expect("the scores");
        for layer in hidden {
            let output = self.hidden(layer, &inputs[inputs.len() - 1]);
            inputs.push(Tensor::from((*output.data()).clone()));
            outputs.push(output);
        }
        let scores = last.forward(&inputs[inputs.len() - 1]);
        let loss = scores.cross_entropy(&batch.labels);
        loss.backward();
        for (output, leaf) in outputs.iter().zip(&inputs[1..]).rev() {
            output.backward_with(&leaf.grad().expect("a later layer read it"));
        }
        (inputs.split_off(1), loss.to_vec()[0])
    }

    /// Returns histograms of each hidden layer for the first 64 digits.
    fn look(&mut self) -> Value {
        let rows = self.rows.select(&(0..64).collect::<Vec<_>>());
        let (leaves, loss) = self.pass(&rows);
        let layers = leaves.iter().map(|leaf| {
            let values = leaf.to_vec();
            let grads = leaf.grad().expect("a later layer read it");
            let grads: Vec<f32> = grads.into_iter().collect();
            let norm = grads.iter().map(|it| it * it).sum::<f32>().sqrt();
            json!({
                "values": histogram(&values), "grads": histogram(&grads),
                "spread": number(spread(&values).into()),
                "comes_back": number(norm.into()),
            })
        });
        let layers: Value = layers.collect();
        for (_, parameter) in parameters(&mut self.layers) {
            parameter.zero_grad();
        }
        json!({ "layers": layers, "loss": number(loss.into()), "exponents": EXPONENTS })
    }

    /// Takes one step on a random batch and returns its loss.
    fn step(&mut self) -> f32 {
        let all = self.rows.rows();
        let rows: Vec<usize> =
            (0..BATCH).map(|_| self.random.below(all)).collect();
        let (_, loss) = self.pass(&self.rows.select(&rows));
        self.sgd.step(parameters(&mut self.layers));
        loss
    }
}

fn training_set() -> Dataset {
    digits().split(SPLIT_SEED).0
}

fn parameters(layers: &mut [Linear]) -> Vec<(String, &mut Tensor)> {
    layers.iter_mut().flat_map(Linear::parameters).collect()
}

/// Returns the standard deviation.
fn spread(values: &[f32]) -> f32 {
    let count = values.len() as f32;
    let mean = values.iter().sum::<f32>() / count;
    let squares = values.iter().map(|it| (it - mean) * (it - mean));
    (squares.sum::<f32>() / (count - 1.0)).sqrt()
}

/// Returns the fraction of values with each exponent of ten, and first the
/// fraction of zeros. A value outside of all bins, or NaN, counts
/// in the first or the last one.
fn histogram(values: &[f32]) -> Vec<f64> {
    let [first, last] = EXPONENTS;
    let mut counts = vec![0; (last - first) as usize + 2];
    for value in values {
        let bin = match value.abs().log10().floor() {
            _ if *value == 0.0 => 0,
            exponent if exponent.is_nan() => counts.len() - 1,
            exponent => {
                let exponent = exponent.clamp(first as f32, last as f32);
                (exponent as i32 - first) as usize + 1
            }
        };
        counts[bin] += 1;
    }
    let fraction = |count| f64::from(count) / values.len() as f64;
    counts.into_iter().map(fraction).collect()
}
