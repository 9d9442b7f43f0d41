//! The kinds of work, each with its costs and its code for Part 3 and, if it
//! has the operations, for Part 1.

use std::hint::black_box;

use rungrad::ConvOptions;
use rungrad::Error;
use rungrad::error::raise;
use rungrad::nn::{Gpt, GptSizes, Parameters};
use rungrad::optim::{AdamW, Optimizer};
use rungrad::part1_cpu::Tensor as Part1;
use rungrad::part3_unified::{DType, Device, Keep, Tensor, Window, no_grad};
use rungrad::rng::Random;

use crate::clock::Run;
use crate::work::{Work, power};

const RATE: f32 = 0.01;

/// Returns random values from -0.5 to 0.5.
fn numbers(
    device: Device,
    shape: &[usize],
    seed: u64,
) -> Result<Tensor, Error> {
    let x = Tensor::rand(shape, seed, device)?;
    Ok(no_grad(|| x.shift(-0.5)))
}

/// Returns the same values for Part 1.
fn numbers1(shape: &[usize], seed: u64) -> Result<Part1, Error> {
    let values = numbers(Device::Cpu, shape, seed)?.to_vec()?;
    Ok(Part1::new(shape, &values))
}

/// Consumes a result, and evaluates it if it was lazy.
fn evaluate(value: Tensor) {
    if let Err(error) = black_box(value).realize() {
        raise(error);
    }
}

/// Returns work with one operand.
fn unary(
    shape: &[usize],
    op: impl Fn(&Tensor) -> Tensor + Clone + 'static,
) -> impl Fn(Device) -> Result<Run, Error> + 'static {
    let shape = shape.to_vec();
    move |device| {
        let x = numbers(device, &shape, 1)?;
        let op = op.clone();
        Ok(Box::new(move || evaluate(op(&x))))
    }
}

/// Returns work with two operands.
fn binary(
    shapes: [&[usize]; 2],
    op: impl Fn(&Tensor, &Tensor) -> Tensor + Clone + 'static,
) -> impl Fn(Device) -> Result<Run, Error> + 'static {
    let shapes = shapes.map(<[usize]>::to_vec);
    move |device| {
        let [x, y] =
            [(0, 1), (1, 2)].map(|(i, seed)| numbers(device, &shapes[i], seed));
        let (x, y, op) = (x?, y?, op.clone());
        Ok(Box::new(move || evaluate(op(&x, &y))))
    }
}

pub(crate) fn multiply(n: usize) -> Work {
    let about = "x * y, element by element, into fresh memory";
    let run = binary([&[n], &[n]], Tensor::mul);
    Work::new("multiply", &[n], power(n), about, run)
        .moves(3 * n)
        .computes(n)
        .needs(n, 4 * n)
        .part1(move || {
            let (x, y) = (numbers1(&[n], 1)?, numbers1(&[n], 2)?);
            Ok(Box::new(move || drop(black_box(x.mul(&y)))))
        })
}

/// An estimate of the memory bandwidth.
pub(crate) fn copy(n: usize) -> Work {
    let about = "x * 2: read and write each number once";
    let run = unary(&[n], |x| x.scale(2.0));
    Work::new("copy", &[n], power(n), about, run)
        .moves(2 * n)
        .computes(n)
        .needs(n, 4 * n)
}

pub(crate) fn copy_halves(n: usize) -> Work {
    let about = "the same in f16, which is half the bytes";
    let run = move |device| -> Result<Run, Error> {
        let x = numbers(device, &[n], 1)?.to_dtype(DType::F16)?;
        Ok(Box::new(move || evaluate(x.scale(2.0))))
    };
    Work::new("copy_halves", &[n], String::new(), about, run)
        .named(format!("copy f16 {}", power(n)))
        .moves(n)
        .computes(n)
        .needs(n, 4 * n)
}

/// Seven operations.
pub(crate) fn seven(n: usize) -> Work {
    let about = "tanh(1.5z + 0.5).exp() * z - sigmoid(z)";
    let run = unary(&[n], |z| {
        // A value that is alive at the end of a statement would be stored.
        let bent = z.scale(1.5).shift(0.5).tanh().exp().mul(z);
        let all = bent.sub(&z.sigmoid());
        drop(bent);
        all
    });
    Work::new("seven", &[n], power(n), about, run)
        .moves(2 * n)
        .computes(7 * n)
        .needs(n, 6 * n)
}

/// `(batch, m, k) x (batch, k, n)`; an operand may be transposed in memory.
pub(crate) fn matmul(
    batch: usize,
    [m, k, n]: [usize; 3],
    turned: [bool; 2],
) -> Work {
    let about = match (batch, turned) {
        (1, [false, false]) => "a product of two matrices",
        (1, _) => "the same, operands lying transposed in memory",
        _ => "as many products of matrices as the first size",
    };
    let name = match m == k && k == n {
        true => m.to_string(),
        false => format!("{m}x{k}x{n}"),
    };
    let many = if batch == 1 { String::new() } else { format!("{batch} of ") };
    let which = match turned {
        [false, false] => "",
        [true, false] => " left transposed",
        [false, true] => " right transposed",
        [true, true] => " both transposed",
    };
    let run = move |device| -> Result<Run, Error> {
        let factor = |[rows, columns]: [usize; 2], turned, seed| {
            let shape = match turned {
                true => [batch, columns, rows],
                false => [batch, rows, columns],
            };
            // Without a batch, the matrices have no batch axis.
            let x = numbers(device, &shape[usize::from(batch == 1)..], seed)?;
            Ok::<_, Error>(if turned { x.transpose() } else { x })
        };
        let (a, b) =
            (factor([m, k], turned[0], 1)?, factor([k, n], turned[1], 2)?);
        Ok(Box::new(move || evaluate(a.matmul(&b))))
    };
    let [left, right] = turned.map(usize::from);
    let sizes = [batch, m, k, n, left, right];
    let parts = [m * k, k * n, m * n].map(|size| batch * size);
    let (all, largest) = (parts.iter().sum(), parts.iter().copied().max());
    let name = format!("{many}{name}{which}");
    let work = Work::new("matmul", &sizes, name, about, run)
        .moves(all)
        .arithmetic(2 * batch * m * k * n)
        .needs(largest.unwrap_or(0), all + parts[2]);
    match (batch, turned) {
        (1, [false, false]) => work.part1(move || {
            let (a, b) = (numbers1(&[m, k], 1)?, numbers1(&[k, n], 2)?);
            Ok(Box::new(move || drop(black_box(a.matmul(&b)))))
        }),
        _ => work,
    }
}

pub(crate) fn matvec(rows: usize, columns: usize, turned: bool) -> Work {
    let (word, about) = match turned {
        true => (" transposed", "the transposed matrix and a vector"),
        false => ("", "a matrix and a vector"),
    };
    let vector = [if turned { rows } else { columns }, 1];
    let run = move |device| -> Result<Run, Error> {
        let a = numbers(device, &[rows, columns], 1)?;
        let a = if turned { a.transpose() } else { a };
        let x = numbers(device, &vector, 2)?;
        Ok(Box::new(move || evaluate(a.matmul(&x))))
    };
    let sizes = [rows, columns, usize::from(turned)];
    let all = rows * columns;
    Work::new("matvec", &sizes, format!("{rows}x{columns}{word}"), about, run)
        .moves(all + rows + columns)
        .computes(2 * all)
        .needs(all, all + 4 * (rows + columns))
}

/// Reduces a square matrix along an axis, or completely without one.
pub(crate) fn sum(side: usize, axis: Option<usize>) -> Work {
    let (name, about) = match axis {
        None => (String::new(), "the sum of all elements"),
        Some(axis) => (format!(" axis {axis}"), "sums along an axis"),
    };
    let sizes: Vec<usize> = [side].into_iter().chain(axis).collect();
    let run = unary(&[side, side], move |x| match axis {
        None => x.sum(),
        Some(axis) => x.sum_over(&[axis], Keep::No),
    });
    let all = side * side;
    Work::new("sum", &sizes, format!("{side}x{side}{name}"), about, run)
        .moves(all)
        .computes(all)
        .needs(all, 2 * all)
}

pub(crate) fn max(side: usize, axis: usize) -> Work {
    let run = unary(&[side, side], move |x| x.max_over(&[axis], Keep::No));
    let (name, all) = (format!("{side}x{side} axis {axis}"), side * side);
    Work::new("max", &[side, axis], name, "the largest along an axis", run)
        .moves(all)
        .computes(all)
        .needs(all, 2 * all)
}

pub(crate) fn sum_over([a, b, c]: [usize; 3], axes: &'static [usize]) -> Work {
    let names: Vec<String> = axes.iter().map(usize::to_string).collect();
    let word = if axes.len() == 1 { "axis" } else { "axes" };
    let about = "sums of an array of three axes";
    let run = unary(&[a, b, c], move |x| x.sum_over(axes, Keep::No));
    let sizes = [&[a, b, c], axes].concat();
    let all = a * b * c;
    Work::new("sum_over", &sizes, String::new(), about, run)
        .named(format!("sum {a}x{b}x{c} {word} {}", names.join(" and ")))
        .moves(all)
        .computes(all)
        .needs(all, 2 * all)
}

pub(crate) fn transpose(side: usize) -> Work {
    let about = "a transposed matrix, copied into its own order";
    let run = move |device| -> Result<Run, Error> {
        let x = numbers(device, &[side, side], 1)?.transpose();
        // A view of one axis is not possible without a copy.
        Ok(Box::new(move || evaluate(x.reshape(&[side * side]))))
    };
    let all = side * side;
    Work::new("transpose", &[side], format!("{side}x{side}"), about, run)
        .moves(2 * all)
        .needs(all, 3 * all)
}

/// Adds a row to each row of a square matrix.
pub(crate) fn broadcast(side: usize) -> Work {
    let about = "a matrix and a row that stretches over it";
    let run = binary([&[side, side], &[side]], Tensor::add);
    let all = side * side;
    Work::new("broadcast", &[side], format!("{side}x{side}"), about, run)
        .moves(2 * all)
        .computes(all)
        .needs(all, 3 * all)
}

pub(crate) fn softmax(rows: usize, columns: usize) -> Work {
    of_rows("softmax", [rows, columns], "softmax over rows", Tensor::softmax)
}

pub(crate) fn log_softmax(rows: usize, columns: usize) -> Work {
    let about = "log-softmax over rows";
    of_rows("log_softmax", [rows, columns], about, Tensor::log_softmax)
}

fn of_rows(
    kind: &'static str,
    sizes: [usize; 2],
    about: &'static str,
    op: fn(&Tensor) -> Tensor,
) -> Work {
    let [rows, columns] = sizes;
    let all = rows * columns;
    Work::new(
        kind,
        &sizes,
        format!("{rows}x{columns}"),
        about,
        unary(&sizes, op),
    )
    .moves(2 * all)
    .computes(5 * all)
    .needs(all, 5 * all)
}

pub(crate) fn gather(rows: usize, columns: usize) -> Work {
    let about = "rows of a table, in a scattered order";
    // Each index once, with neighbors far apart. The factor is prime and does
    // not divide the number of rows.
    let indices: Vec<usize> = (0..rows).map(|at| at * 7919 % rows).collect();
    let run = unary(&[rows, columns], move |x| x.index_select(0, &indices));
    let (name, all) = (format!("{rows}x{columns}"), rows * columns);
    Work::new("gather", &[rows, columns], name, about, run)
        .moves(2 * all)
        .needs(all, 3 * all)
}

/// Evaluates the gradients of leaves and removes them.
fn evaluate_gradients(leaves: &[&Tensor]) {
    for leaf in leaves {
        leaf.grad().into_iter().for_each(evaluate);
        leaf.zero_grad();
    }
}

pub(crate) fn notebook(n: usize) -> Work {
    let about = "((x * y) * y).sum(), forward and backward";
    let run = move |device| -> Result<Run, Error> {
        let x = numbers(device, &[n], 1)?.requires_grad();
        let y = numbers(device, &[n], 2)?.requires_grad();
        Ok(Box::new(move || {
            let sum = x.mul(&y).mul(&y).sum();
            sum.backward();
            evaluate(sum);
            evaluate_gradients(&[&x, &y]);
        }))
    };
    Work::new("notebook", &[n], power(n), about, run).needs(n, 10 * n).part1(
        move || {
            let (x, y) = (numbers1(&[n], 1)?, numbers1(&[n], 2)?);
            Ok(Box::new(move || {
                x.mul(&y).mul(&y).sum().backward();
                x.zero_grad();
                y.zero_grad();
            }))
        },
    )
}

/// Repeats `y * b + a` on one element, with or without the backward pass.
pub(crate) fn chain(links: usize, backward: bool) -> Work {
    let (kind, about) = match backward {
        true => ("chain", "y * b + a again and again, forward and backward"),
        false => ("forward", "the same, the graph built and not walked"),
    };
    let word = if backward { "" } else { " forward" };
    let run = move |device| -> Result<Run, Error> {
        let leaf = |value| Tensor::new(&[1], &[value], device);
        let [y, b, a] =
            [leaf(1.0)?, leaf(0.999)?, leaf(0.002)?].map(Tensor::requires_grad);
        Ok(Box::new(move || {
            let mut last = y.clone();
            for _ in 0..links {
                last = last.mul(&b).add(&a);
            }
            if backward {
                last.backward();
            }
            evaluate(last);
            evaluate_gradients(&[&y, &b, &a]);
        }))
    };
    Work::new(kind, &[links], String::new(), about, run)
        .named(format!("chain {links}{word}"))
        .needs(1, 8 * links)
        .part1(move || {
            let leaf = |value| Part1::new(&[1], &[value]);
            let [y, b, a] = [1.0, 0.999, 0.002].map(leaf);
            Ok(Box::new(move || {
                let mut last = y.clone();
                for _ in 0..links {
                    last = last.mul(&b).add(&a);
                }
                if backward {
                    last.backward();
                    [&y, &b, &a].iter().for_each(|leaf| leaf.zero_grad());
                }
            }))
        })
}

fn labels(batch: usize) -> Vec<usize> {
    (0..batch).map(|row| row % 10).collect()
}

fn parameters(
    device: Device,
    shapes: &[&[usize]],
) -> Result<Vec<Tensor>, Error> {
    let small = |(shape, seed): (&&[usize], u64)| {
        let x = numbers(device, shape, seed)?;
        Ok(no_grad(|| x.scale(0.1)).requires_grad())
    };
    shapes.iter().zip(2..).map(small).collect()
}

/// Makes a step of gradient descent. Each parameter becomes a new leaf.
fn descend(parameters: &mut [Tensor]) {
    for parameter in parameters {
        let grad = parameter.grad().expect("backward computed it");
        let better = no_grad(|| parameter.add(&grad.scale(-RATE)));
        *parameter = better.requires_grad();
    }
}

/// A training step with a hidden layer, ReLU and ten classes.
pub(crate) fn mlp(batch: usize, inputs: usize, hidden: usize) -> Work {
    let about = "a training step: relu, cross-entropy, SGD";
    let run = move |device| -> Result<Run, Error> {
        let x = numbers(device, &[batch, inputs], 1)?;
        let labels = labels(batch);
        let shapes = [&[inputs, hidden][..], &[hidden], &[hidden, 10], &[10]];
        let mut p = parameters(device, &shapes)?;
        Ok(Box::new(move || {
            let h = x.matmul(&p[0]).add(&p[1]).relu();
            let loss = h.matmul(&p[2]).add(&p[3]).cross_entropy(&labels);
            loss.backward();
            descend(&mut p);
            evaluate(loss);
        }))
    };
    let name = format!("{batch}x{inputs}-{hidden}-10");
    let [weights, layer, input] =
        [inputs * hidden, batch * hidden, batch * inputs];
    Work::new("mlp", &[batch, inputs, hidden], name, about, run)
        // The input of the first layer needs no gradient.
        .arithmetic(batch * (4 * inputs * hidden + 6 * hidden * 10))
        .needs(weights.max(layer).max(input), 4 * weights + 8 * layer + input)
        .part1(move || {
            let x = numbers1(&[batch, inputs], 1)?;
            let labels = labels(batch);
            let shapes =
                [&[inputs, hidden][..], &[hidden], &[hidden, 10], &[10]];
            let small = |(shape, seed): (&[usize], u64)| {
                Ok(Part1::from(&*numbers1(shape, seed)?.data() * 0.1))
            };
            let p = shapes.into_iter().zip(2..).map(small);
            let mut p = p.collect::<Result<Vec<Part1>, Error>>()?;
            Ok(Box::new(move || {
                let h = x.matmul(&p[0]).add(&p[1]).relu();
                h.matmul(&p[2]).add(&p[3]).cross_entropy(&labels).backward();
                for parameter in &mut p {
                    let grad = parameter.grad().expect("backward was there");
                    let better = &*parameter.data() - &(grad * RATE);
                    *parameter = Part1::from(better);
                }
            }))
        })
}

/// A training step on images of 1x28x28: 8 and 16 filters of 3x3, each with
/// ReLU and a pool of 2x2, and ten classes.
pub(crate) fn cnn(batch: usize) -> Work {
    let about = "a training step: two convolutions with pools, SGD";
    let run = move |device| -> Result<Run, Error> {
        let x = numbers(device, &[batch, 1, 28, 28], 1)?;
        let labels = labels(batch);
        let shapes =
            [&[8, 1, 3, 3][..], &[8], &[16, 8, 3, 3], &[16], &[784, 10], &[10]];
        let mut p = parameters(device, &shapes)?;
        let options = ConvOptions::new().padding([1, 1]);
        let pool = Window::new([2, 2]).stride([2, 2]);
        Ok(Box::new(move || {
            let h = x.conv2d(&p[0], Some(&p[1]), &options).relu();
            let h = h.max_pool2d(&pool);
            let h = h.conv2d(&p[2], Some(&p[3]), &options).relu();
            let h = h.max_pool2d(&pool).reshape(&[batch, 784]);
            let loss = h.matmul(&p[4]).add(&p[5]).cross_entropy(&labels);
            loss.backward();
            descend(&mut p);
            evaluate(loss);
        }))
    };
    let first = 4 * 28 * 28 * 8 * 9;
    let second = 6 * 14 * 14 * 16 * 8 * 9;
    // The elements of the windows of the two convolutions.
    let windows = [784 * 9, 14 * 14 * 72];
    Work::new("cnn", &[batch], format!("{batch}x1x28x28"), about, run)
        .arithmetic(batch * (first + second + 6 * 784 * 10))
        .needs(batch * windows[1], batch * 4 * (windows[0] + windows[1]))
}

/// The sizes of a transformer and of its batch.
#[derive(Clone, Copy)]
pub(crate) struct Transformer {
    pub(crate) batch: usize,
    pub(crate) context: usize,
    pub(crate) width: usize,
    pub(crate) layers: usize,
    pub(crate) heads: usize,
    pub(crate) vocabulary: usize,
}

pub(crate) fn gpt(of: Transformer) -> Work {
    let Transformer { batch, context, width, layers, heads, vocabulary } = of;
    let about = "a training step: a transformer on tokens, AdamW";
    let run = move |device| -> Result<Run, Error> {
        let sizes = GptSizes {
            vocabulary,
            context,
            layers,
            heads,
            width,
            dropout: 0.0,
        };
        let mut gpt = Gpt::new(sizes, &mut Random::new(1));
        gpt.to(device)?;
        let tokens = |step| -> Vec<usize> {
            (0..batch * context).map(|at| at * step % vocabulary).collect()
        };
        let (inputs, targets) = (tokens(7), tokens(11));
        let mut adam = AdamW::new(1e-3, 0.01);
        Ok(Box::new(move || {
            let loss = gpt.scores(&inputs, context).cross_entropy(&targets);
            loss.backward();
            adam.step(gpt.parameters_mut());
            evaluate(loss);
        }))
    };
    let name = format!("{batch}x{context} {layers} of {width}");
    let sizes = [batch, context, width, layers, heads, vocabulary];
    // The tokens of a step, and the number of weights that each is multiplied
    // by.
    let tokens = batch * context;
    let weights = 12 * width * width * layers + width * vocabulary;
    let attention = 2 * context * width * layers;
    // The activations and attention scores of all blocks, and four values for
    // each weight.
    let scores = tokens * context * heads;
    let kept = (24 * tokens * width + scores) * layers;
    let outputs = tokens * vocabulary;
    Work::new("gpt", &sizes, name, about, run)
        // Once in the forward pass and twice in the backward pass.
        .arithmetic(6 * tokens * (weights + attention))
        .needs(scores.max(outputs), kept + 4 * (weights + outputs))
}
