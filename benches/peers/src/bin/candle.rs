//! The rows of `cargo learn bench` by candle, on the processor: what `rows.py`
//! is for numpy and PyTorch, with the same lines in and out.
//!
//! ```sh
//! cargo build --release --manifest-path benches/peers/Cargo.toml --bin candle
//! cargo learn bench --peer candle
//! ```

use std::env;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use candle_core::{D, Device, Error, Result, Tensor, Var};
use candle_nn::{Optimizer, SGD, loss, ops};
use serde_json::{Value, json};

/// A run is repeated until it is worth a look at the clock.
const GRAIN: f64 = 200e-6;
const MOST_RUNS: f64 = 10_000.0;

type Run = Box<dyn FnMut() -> Result<()>>;

fn new(shape: &[usize]) -> Result<Tensor> {
    Tensor::rand(-0.5_f32, 0.5, shape, &Device::Cpu)
}

fn leaf(shape: &[usize], scale: f64) -> Result<Var> {
    Var::from_tensor(&new(shape)?.affine(scale, 0.0)?)
}

fn numbers(values: impl Iterator<Item = usize>) -> Result<Tensor> {
    let values: Vec<u32> = values.map(|it| it as u32).collect();
    Tensor::new(values, &Device::Cpu)
}

/// Runs what makes a tensor, and drops it.
fn of(make: impl Fn() -> Result<Tensor> + 'static) -> Option<Run> {
    Some(Box::new(move || make().map(drop)))
}

/// A step of plain gradient descent.
fn step(
    leaves: Vec<Var>,
    loss: impl Fn(&[Var]) -> Result<Tensor> + 'static,
) -> Result<Option<Run>> {
    let mut sgd = SGD::new(leaves.clone(), 0.01)?;
    Ok(Some(Box::new(move || sgd.backward_step(&loss(&leaves)?))))
}

/// What a row does; `None` where candle has no operation for it.
fn row(work: &str, sizes: &[usize]) -> Result<Option<Run>> {
    let square = || new(&[sizes[0], sizes[0]]);
    Ok(match (work, sizes) {
        ("multiply", &[n]) => {
            let (x, y) = (new(&[n])?, new(&[n])?);
            of(move || &x * &y)
        }
        ("copy", &[n]) => {
            let x = new(&[n])?;
            of(move || &x * 2.0)
        }
        ("seven", &[n]) => {
            let z = new(&[n])?;
            of(move || {
                let first = z.affine(1.5, 0.5)?.tanh()?.exp()?;
                (first * &z)? - ops::sigmoid(&z)?
            })
        }
        ("matmul", &[batch, m, k, n, left, right]) => {
            let side = |rows, columns, turned| match turned {
                0 => new(&[batch, rows, columns]),
                _ => new(&[batch, columns, rows])?.transpose(1, 2),
            };
            let (a, b) = (side(m, k, left)?, side(k, n, right)?);
            of(move || a.matmul(&b))
        }
        ("matvec", &[rows, columns, turned]) => {
            let a = new(&[rows, columns])?;
            let a = if turned == 0 { a } else { a.t()? };
            let x = new(&[a.dim(1)?, 1])?;
            of(move || a.matmul(&x))
        }
        ("sum", &[_]) => {
            let x = square()?;
            of(move || x.sum_all())
        }
        ("sum", &[_, axis]) => {
            let x = square()?;
            of(move || x.sum(axis))
        }
        ("sum_over", &[a, b, c, ref axes @ ..]) => {
            let (x, axes) = (new(&[a, b, c])?, axes.to_vec());
            of(move || x.sum(axes.clone()))
        }
        ("max", &[_, axis]) => {
            let x = square()?;
            of(move || x.max(axis))
        }
        ("transpose", _) => {
            let x = square()?;
            of(move || x.t()?.contiguous())
        }
        ("broadcast", &[side]) => {
            let (x, y) = (square()?, new(&[side])?);
            of(move || x.broadcast_add(&y))
        }
        ("softmax", &[rows, columns]) => {
            let x = new(&[rows, columns])?;
            of(move || ops::softmax_last_dim(&x))
        }
        ("log_softmax", &[rows, columns]) => {
            let x = new(&[rows, columns])?;
            of(move || ops::log_softmax(&x, D::Minus1))
        }
        ("gather", &[rows, columns]) => {
            let x = new(&[rows, columns])?;
            let places = numbers((0..rows).map(|at| at * 7919 % rows))?;
            of(move || x.index_select(&places, 0))
        }
        ("notebook", &[n]) => {
            let (x, y) = (leaf(&[n], 1.0)?, leaf(&[n], 1.0)?);
            Some(Box::new(move || {
                let (x, y) = (x.as_tensor(), y.as_tensor());
                ((x * y)? * y)?.sum_all()?.backward().map(drop)
            }))
        }
        ("chain" | "forward", &[links]) => {
            let is_chain = work == "chain";
            let leaf = |value: f32| Var::new(&[value], &Device::Cpu);
            let (y, b, a) = (leaf(1.0)?, leaf(0.999)?, leaf(0.002)?);
            Some(Box::new(move || {
                let mut last = y.as_tensor().clone();
                for _ in 0..links {
                    last = last.mul(&b)?.add(&a)?;
                }
                if is_chain { last.backward().map(drop) } else { Ok(()) }
            }))
        }
        ("mlp", &[batch, inputs, hidden]) => {
            let (x, labels) = (new(&[batch, inputs])?, labels(batch)?);
            let shapes: [&[usize]; 4] =
                [&[inputs, hidden], &[hidden], &[hidden, 10], &[10]];
            step(leaves(&shapes)?, move |p| {
                let h = x.matmul(&p[0])?.broadcast_add(&p[1])?.relu()?;
                let scores = h.matmul(&p[2])?.broadcast_add(&p[3])?;
                loss::cross_entropy(&scores, &labels)
            })?
        }
        ("cnn", &[batch]) => {
            let (x, labels) = (new(&[batch, 1, 28, 28])?, labels(batch)?);
            let shapes: [&[usize]; 6] =
                [&[8, 1, 3, 3], &[8], &[16, 8, 3, 3], &[16], &[784, 10], &[10]];
            step(leaves(&shapes)?, move |p| {
                let layer = |x: &Tensor, filters: &Var, bias: &Var| {
                    let count = bias.dim(0)?;
                    let bias = bias.reshape((1, count, 1, 1))?;
                    let h = x.conv2d(filters, 1, 1, 1, 1)?;
                    h.broadcast_add(&bias)?.relu()?.max_pool2d(2)
                };
                let h = layer(&layer(&x, &p[0], &p[1])?, &p[2], &p[3])?;
                let scores = h.reshape((batch, 784))?.matmul(&p[4])?;
                loss::cross_entropy(&scores.broadcast_add(&p[5])?, &labels)
            })?
        }
        _ => None,
    })
}

fn labels(batch: usize) -> Result<Tensor> {
    numbers((0..batch).map(|at| at % 10))
}

fn leaves(shapes: &[&[usize]]) -> Result<Vec<Var>> {
    shapes.iter().map(|shape| leaf(shape, 0.1)).collect()
}

fn clock(run: &mut Run, runs: usize) -> Result<f64> {
    let start = Instant::now();
    (0..runs).try_for_each(|_| run())?;
    Ok((start.elapsed().as_secs_f64() / runs as f64).max(1e-9))
}

/// What one run takes, so often as `seconds` allow, and at least once.
fn times(run: &mut Run, seconds: f64, limit: f64) -> Result<Vec<f64>> {
    let first = clock(run, 1)?;
    if first > limit {
        return Ok(vec![first]);
    }
    clock(run, 1)?;
    let some = |once: f64| (GRAIN / once).clamp(1.0, MOST_RUNS) as usize;
    let few = some(4.0 * clock(run, 1)?);
    let runs = some(clock(run, few)?);
    let (mut found, start) = (Vec::new(), Instant::now());
    while found.is_empty() || start.elapsed() < Duration::from_secs_f64(seconds)
    {
        found.push(clock(run, runs)?);
    }
    Ok(found)
}

/// Answers an order; the run of the row before is kept for its next round.
fn answer(order: &Value, kept: &mut Option<(Value, Run)>) -> Result<Value> {
    let number = |key: &str| order[key].as_f64().unwrap_or(0.0);
    if kept.as_ref().is_none_or(|(name, _)| *name != order["row"]) {
        *kept = None;
        let sizes = order["sizes"].as_array().into_iter().flatten();
        let sizes = sizes.filter_map(Value::as_u64).map(|it| it as usize);
        let work = order["work"].as_str().unwrap_or("");
        let run = row(work, &sizes.collect::<Vec<_>>())?;
        *kept = run.map(|run| (order["row"].clone(), run));
    }
    let Some((_, run)) = kept else { return Ok(json!({})) };
    let times = times(run, number("seconds"), number("limit"))?;
    Ok(json!({ "eager": times }))
}

fn main() -> io::Result<()> {
    let mut words = env::args().skip(1);
    let device = words.next().unwrap_or_default();
    let threads = words.next().unwrap_or_default();
    let mut out = io::stdout().lock();
    if device != "cpu" {
        let why = "it was built for the processor alone";
        return writeln!(out, "{}", json!({ "missing": why }));
    }
    let on = format!("cpu, {threads} threads");
    let who = json!({ "peer": "candle", "version": "0.11.1", "on": on });
    writeln!(out, "{who}")?;
    let mut kept = None;
    for line in io::stdin().lines() {
        let order: Value = serde_json::from_str(&line?)?;
        let told = answer(&order, &mut kept).unwrap_or_else(|error: Error| {
            kept = None;
            json!({ "refused": error.to_string().lines().next() })
        });
        writeln!(out, "{told}")?;
        out.flush()?;
    }
    Ok(())
}
