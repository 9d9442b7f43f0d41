//! The rows of `cargo learn bench` by candle, on the processor: this program
//! answers as `rows.py` does.
//!
//! ```sh
//! cargo build --release --manifest-path benches/peers/Cargo.toml
//! cargo learn bench --peer "benches/peers/target/release/peers rows"
//! ```

use std::error::Error;
use std::hint::black_box;
use std::io::{BufRead, Write, stdin, stdout};
use std::time::Instant;

use candle_core::{D, Device, Result, Tensor, Var};
use serde_json::{Value, json};

/// One look at the clock lets the work run for so many seconds.
const GRAIN: f64 = 200e-6;
const MOST_RUNS: f64 = 10_000.0;
const RATE: f64 = 0.01;

type Run = Box<dyn FnMut() -> Result<()>>;

/// Answers each line of the input; the words are a device and a number of
/// threads, which the environment has told candle's libraries already.
pub(crate) fn answer(
    mut words: impl Iterator<Item = String>,
) -> std::result::Result<(), Box<dyn Error>> {
    let mut say = |words: Value| {
        let mut out = stdout().lock();
        writeln!(out, "{words}").and_then(|()| out.flush())
    };
    let (device, threads) = (words.next(), words.next().unwrap_or_default());
    if device.as_deref() != Some("cpu") {
        say(json!({"missing": "candle is built for the processor here"}))?;
        return Ok(());
    }
    let on = format!("cpu, {threads} threads");
    say(json!({"peer": "candle", "version": "0.11.1", "on": on}))?;
    let mut known: Option<(String, Run)> = None;
    for line in stdin().lock().lines() {
        let order: Value = serde_json::from_str(&line?)?;
        let name = order["row"].as_str().unwrap_or_default();
        if known.as_ref().is_none_or(|(known, _)| known != name) {
            // The row before gives its memory back first.
            drop(known.take());
            let sizes = order["sizes"].as_array().into_iter().flatten();
            let sizes = sizes.filter_map(Value::as_u64).map(|n| n as usize);
            let sizes: Vec<usize> = sizes.collect();
            match row(order["work"].as_str().unwrap_or_default(), &sizes) {
                Ok(Some(run)) => known = Some((name.to_string(), run)),
                Ok(None) => {
                    say(json!({}))?;
                    continue;
                }
                Err(error) => {
                    say(json!({"refused": error.to_string()}))?;
                    continue;
                }
            }
        }
        let (_, run) = known.as_mut().expect("it was made, or was there");
        let number = |key: &str| order[key].as_f64().unwrap_or(1.0);
        match times(run, number("seconds"), number("limit")) {
            Ok(times) => say(json!({"eager": times}))?,
            Err(error) => say(json!({"refused": error.to_string()}))?,
        }
    }
    Ok(())
}

fn seconds(run: &mut Run, runs: usize) -> Result<f64> {
    let start = Instant::now();
    for _ in 0..runs {
        run()?;
    }
    Ok(start.elapsed().as_secs_f64() / runs as f64)
}

/// What one run takes, so often as there is time for, and at least once.
fn times(run: &mut Run, patience: f64, limit: f64) -> Result<Vec<f64>> {
    let first = seconds(run, 1)?;
    if first > limit {
        return Ok(vec![first]);
    }
    let worth = |once: f64| (GRAIN / once).ceil().clamp(1.0, MOST_RUNS);
    let some = worth(seconds(run, 1)?) as usize;
    let runs = worth(seconds(run, some.div_ceil(4))?) as usize;
    let (mut times, start) = (vec![], Instant::now());
    while times.is_empty() || start.elapsed().as_secs_f64() < patience {
        times.push(seconds(run, runs)?);
    }
    Ok(times)
}

fn new(shape: &[usize]) -> Result<Tensor> {
    Tensor::rand(-0.5f32, 0.5, shape, &Device::Cpu)
}

fn leaf(shape: &[usize]) -> Result<Var> {
    Var::from_tensor(&(new(shape)? * 0.1)?)
}

fn done<T>(value: T) {
    drop(black_box(value));
}

/// What a row does; none where candle has no such operation.
fn row(work: &str, sizes: &[usize]) -> Result<Option<Run>> {
    Ok(Some(match (work, sizes) {
        ("multiply", &[n]) => {
            let (x, y) = (new(&[n])?, new(&[n])?);
            Box::new(move || Ok(done((&x * &y)?)))
        }
        ("copy", &[n]) => {
            let x = new(&[n])?;
            Box::new(move || Ok(done(x.affine(2.0, 0.0)?)))
        }
        ("seven", &[n]) => {
            let z = new(&[n])?;
            Box::new(move || {
                let sigmoid = (z.neg()?.exp()? + 1.0)?.recip()?;
                let bent = z.affine(1.5, 0.5)?.tanh()?.exp()?;
                Ok(done(((bent * &z)? - sigmoid)?))
            })
        }
        ("matmul", &[batch, m, k, n, left, right]) => {
            let factor = |rows: usize, columns: usize, turned: usize| {
                let x = match turned {
                    0 => new(&[batch, rows, columns])?,
                    _ => new(&[batch, columns, rows])?.t()?,
                };
                if batch == 1 { x.squeeze(0) } else { Ok(x) }
            };
            let (a, b) = (factor(m, k, left)?, factor(k, n, right)?);
            Box::new(move || Ok(done(a.matmul(&b)?)))
        }
        ("matvec", &[rows, columns, turned]) => {
            let a = new(&[rows, columns])?;
            let a = if turned == 0 { a } else { a.t()? };
            let x = new(&[a.dim(1)?, 1])?;
            Box::new(move || Ok(done(a.matmul(&x)?)))
        }
        ("sum", &[side]) => {
            let x = new(&[side, side])?;
            Box::new(move || Ok(done(x.sum_all()?)))
        }
        ("sum", &[side, axis]) => {
            let x = new(&[side, side])?;
            Box::new(move || Ok(done(x.sum(axis)?)))
        }
        ("max", &[side, axis]) => {
            let x = new(&[side, side])?;
            Box::new(move || Ok(done(x.max(axis)?)))
        }
        ("transpose", &[side]) => {
            let x = new(&[side, side])?.t()?;
            Box::new(move || Ok(done(x.contiguous()?)))
        }
        ("broadcast", &[side]) => {
            let (x, row) = (new(&[side, side])?, new(&[side])?);
            Box::new(move || Ok(done(x.broadcast_add(&row)?)))
        }
        ("softmax", &[side]) => {
            let x = new(&[side, side])?;
            Box::new(move || {
                let most = x.max_keepdim(D::Minus1)?;
                let e = x.broadcast_sub(&most)?.exp()?;
                Ok(done(e.broadcast_div(&e.sum_keepdim(D::Minus1)?)?))
            })
        }
        ("log_softmax", &[side]) => {
            let x = new(&[side, side])?;
            Box::new(move || Ok(done(log_softmax(&x)?)))
        }
        ("gather", &[rows, columns]) => {
            let x = new(&[rows, columns])?;
            let places = (0..rows).map(|at| (at * 7919 % rows) as u32);
            let places = Tensor::from_iter(places, &Device::Cpu)?;
            Box::new(move || Ok(done(x.index_select(&places, 0)?)))
        }
        ("notebook", &[n]) => {
            let (x, y) = (leaf(&[n])?, leaf(&[n])?);
            Box::new(move || {
                let c = (x.as_tensor() * y.as_tensor())?;
                Ok(done((c * y.as_tensor())?.sum_all()?.backward()?))
            })
        }
        ("chain", &[links]) => {
            let leaf = |value: f32| Var::new(&[value], &Device::Cpu);
            let (y, b, a) = (leaf(1.0)?, leaf(0.999)?, leaf(0.002)?);
            Box::new(move || {
                let mut last = y.as_tensor().clone();
                for _ in 0..links {
                    last = last.mul(&b)?.add(&a)?;
                }
                Ok(done(last.backward()?))
            })
        }
        ("mlp", &[batch, inputs, hidden]) => mlp(batch, inputs, hidden)?,
        ("cnn", &[batch]) => cnn(batch)?,
        _ => return Ok(None),
    }))
}

fn log_softmax(x: &Tensor) -> Result<Tensor> {
    let z = x.broadcast_sub(&x.max_keepdim(D::Minus1)?)?;
    z.broadcast_sub(&z.exp()?.sum_keepdim(D::Minus1)?.log()?)
}

fn labels(batch: usize) -> Result<Tensor> {
    let labels = (0..batch).map(|at| (at % 10) as u32);
    Tensor::from_iter(labels, &Device::Cpu)?.unsqueeze(1)
}

/// Backward from the mean loss, and a step against the gradient.
fn improve(scores: &Tensor, labels: &Tensor, p: &[Var]) -> Result<()> {
    let picked = log_softmax(scores)?.gather(labels, 1)?;
    let grads = picked.mean_all()?.neg()?.backward()?;
    for p in p {
        let grad = grads.get(p).expect("all of them take part");
        p.set(&(p.as_tensor() - (grad * RATE)?)?)?;
    }
    Ok(())
}

fn mlp(batch: usize, inputs: usize, hidden: usize) -> Result<Run> {
    let (x, labels) = (new(&[batch, inputs])?, labels(batch)?);
    let shapes = [&[inputs, hidden][..], &[hidden], &[hidden, 10], &[10]];
    let p = shapes.into_iter().map(leaf).collect::<Result<Vec<Var>>>()?;
    Ok(Box::new(move || {
        let h = x.matmul(&p[0])?.broadcast_add(&p[1])?.relu()?;
        let scores = h.matmul(&p[2])?.broadcast_add(&p[3])?;
        improve(&scores, &labels, &p)
    }))
}

/// The gradient of its pool is wrong in this version (0.25 where 1 is right),
/// but takes the time of a right one.
fn cnn(batch: usize) -> Result<Run> {
    let (x, labels) = (new(&[batch, 1, 28, 28])?, labels(batch)?);
    let shapes = [
        &[8, 1, 3, 3][..],
        &[1, 8, 1, 1],
        &[16, 8, 3, 3],
        &[1, 16, 1, 1],
        &[784, 10],
        &[10],
    ];
    let p = shapes.into_iter().map(leaf).collect::<Result<Vec<Var>>>()?;
    Ok(Box::new(move || {
        let layer = |x: &Tensor, filters: &Tensor, bias: &Tensor| {
            let x = x.conv2d(filters, 1, 1, 1, 1)?;
            x.broadcast_add(bias)?.relu()?.max_pool2d(2)
        };
        let h = layer(&layer(&x, &p[0], &p[1])?, &p[2], &p[3])?;
        let h = h.reshape((batch, 784))?;
        let scores = h.matmul(&p[4])?.broadcast_add(&p[5])?;
        improve(&scores, &labels, &p)
    }))
}
