//! What an operation costs when its arithmetic costs nothing: the chain
//! `y = y * b + a`, a thousand times, on one element, forward, backward and
//! freed again. With the word `products`, what a product of matrices costs.
//! The engines take turns in one run, so that they share whatever else the
//! machine does.
//!
//! ```sh
//! cd benches/peers && cargo run --release
//! cd benches/peers && RAYON_NUM_THREADS=1 cargo run --release -- products
//! ```

mod products;

use std::error::Error;
use std::hint::black_box;
use std::thread::available_parallelism;
use std::time::Instant;

const LINKS: usize = 1000;
const ROUNDS: usize = 401;
const Y: f32 = 1.0;
const B: f32 = 0.999;
const A: f32 = 0.002;

/// The last `y`, and the gradients of the first `y`, of `b` and of `a`.
type Answer = [f32; 4];
type Outcome = Result<Answer, Box<dyn Error>>;

type Engine = (&'static str, fn() -> Outcome);

const ENGINES: [Engine; 3] = [
    ("rungrad, part 1", part1),
    ("candle-core 0.11.1", candle),
    ("dfdx 0.13.0", dfdx),
];

fn part1() -> Outcome {
    use rungrad::part1_cpu::Tensor;

    let [y, b, a] = [Y, B, A].map(|value| Tensor::new(&[1], &[value]));
    let mut last = y.clone();
    for _ in 0..LINKS {
        last = last.mul(&b).add(&a);
    }
    last.backward();
    let grad = |leaf: &Tensor| leaf.grad().ok_or("no gradient");
    Ok([last.to_vec()[0], grad(&y)?[0], grad(&b)?[0], grad(&a)?[0]])
}

fn candle() -> Outcome {
    use candle_core::{Device, Tensor, Var};

    let leaf = |value: f32| Var::new(&[value], &Device::Cpu);
    let (y, b, a) = (leaf(Y)?, leaf(B)?, leaf(A)?);
    let mut last = y.as_tensor().clone();
    for _ in 0..LINKS {
        last = last.mul(&b)?.add(&a)?;
    }
    let grads = last.backward()?;
    let first = |tensor: &Tensor| -> Result<f32, Box<dyn Error>> {
        Ok(tensor.to_vec1::<f32>()?[0])
    };
    let grad = |leaf: &Var| first(grads.get(leaf).ok_or("no gradient")?);
    Ok([first(&last)?, grad(&y)?, grad(&b)?, grad(&a)?])
}

fn dfdx() -> Outcome {
    use dfdx::shapes::Rank1;
    use dfdx::tensor::{AsArray, Cpu, Tensor, TensorFrom, Trace};
    use dfdx::tensor_ops::{Backward, SumTo};

    let device = Cpu::default();
    let leaf = |value: f32| device.tensor([value]);
    let (y, b, a) = (leaf(Y), leaf(B), leaf(A));
    let mut last = y.leaky_trace();
    for _ in 0..LINKS {
        last = last * b.clone() + a.clone();
    }
    let value = last.array()[0];
    let loss: Tensor<(), f32, Cpu, _> = last.sum();
    let grads = loss.backward();
    let grad = |leaf: &Tensor<Rank1<1>, f32, Cpu>| grads.get(leaf).array()[0];
    Ok([value, grad(&y), grad(&b), grad(&a)])
}

fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1).as_deref() {
        None => chain(),
        Some("products") => products::table(),
        Some(other) => Err(format!("{other}: the word is `products`").into()),
    }
}

fn chain() -> Result<(), Box<dyn Error>> {
    let mut times = ENGINES.map(|_| Vec::new());
    let mut answers = ENGINES.map(|_| [0.0; 4]);
    for _ in 0..ROUNDS {
        for (at, (_, engine)) in ENGINES.iter().enumerate() {
            let start = Instant::now();
            answers[at] = black_box(engine()?);
            times[at].push(start.elapsed().as_secs_f64() * 1e3);
        }
    }
    let medians = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2]
    });
    println!(
        "{LINKS} times y = y * b + a on one element, forward, backward and \
         freed; {} threads, medians of {ROUNDS} rounds in turn\n",
        available_parallelism()?
    );
    for (at, (name, _)) in ENGINES.iter().enumerate() {
        let ratio = medians[at] / medians[0];
        println!("{name:<20} {:>6.3} ms  {ratio:>5.2}", medians[at]);
        // Who computes something else is not a peer.
        let near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-4 * b.abs();
        if !answers[at].iter().zip(&answers[0]).all(near) {
            let (its, ours) = (answers[at], answers[0]);
            return Err(format!("{name} finds {its:?}, not {ours:?}").into());
        }
    }
    Ok(())
}
