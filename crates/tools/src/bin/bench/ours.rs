//! The rows as Part 3 does them, on any device, and as Part 1 does them, where
//! it can.

use rungrad::Error;
use rungrad::error::raise;
use rungrad::part1_cpu::Tensor as Part1;
use rungrad::part3_unified::nn::{Gpt, GptSizes, Module};
use rungrad::part3_unified::optim::{AdamW, Optimizer};
use rungrad::part3_unified::{
    ConvOptions, DType, Device, Keep, Tensor, Window, no_grad,
};
use rungrad::rng::Random;

use crate::work::{Transformer, Work};

/// One run of a row. Operations panic with a device's refusal, so whoever runs
/// it does so inside `attempt`.
pub(crate) type Run = Box<dyn FnMut()>;

const RATE: f32 = 0.01;

/// Makes numbers from -0.5 to 0.5.
fn numbers(
    device: Device,
    shape: &[usize],
    seed: u64,
) -> Result<Tensor, Error> {
    let x = Tensor::rand(shape, seed, device)?;
    Ok(no_grad(|| x.shift(-0.5)))
}

/// Takes what is not used any more, and computes it where that was put off.
fn done(value: Tensor) {
    if let Err(error) = std::hint::black_box(value).realize() {
        raise(error);
    }
}

/// Takes the gradients of leaves, which have none then.
fn gradients_done(leaves: &[&Tensor]) {
    for leaf in leaves {
        leaf.grad().into_iter().for_each(done);
        leaf.zero_grad();
    }
}

/// Does the same with what Part 1 has computed: the compiler must not see that.
fn gone<T>(value: T) {
    drop(std::hint::black_box(value));
}

/// Builds the row on Part 3's tensors.
pub(crate) fn part3(work: Work, device: Device) -> Result<Run, Error> {
    let new = |shape: &[usize], seed| numbers(device, shape, seed);
    let square = |side: usize| new(&[side, side], 1);
    Ok(match work {
        Work::Multiply(n) => {
            let (x, y) = (new(&[n], 1)?, new(&[n], 2)?);
            Box::new(move || done(x.mul(&y)))
        }
        Work::Copy(n) => {
            let x = new(&[n], 1)?;
            Box::new(move || done(x.scale(2.0)))
        }
        Work::CopyHalves(n) => {
            let x = new(&[n], 1)?.to_dtype(DType::F16)?;
            Box::new(move || done(x.scale(2.0)))
        }
        Work::Seven(n) => {
            let z = new(&[n], 1)?;
            Box::new(move || {
                // What a statement holds until its end would be stored, too.
                let bent = z.scale(1.5).shift(0.5).tanh().exp().mul(&z);
                let all = bent.sub(&z.sigmoid());
                drop(bent);
                done(all)
            })
        }
        Work::Product { batch, sizes: [m, k, n], turned } => {
            let factor = |[rows, columns]: [usize; 2], turned, seed| {
                let shape = match turned {
                    true => vec![batch, columns, rows],
                    false => vec![batch, rows, columns],
                };
                // One product is one of two matrices, without a third axis.
                let x = new(&shape[usize::from(batch == 1)..], seed)?;
                Ok(if turned { x.transpose() } else { x })
            };
            let a = factor([m, k], turned[0], 1)?;
            let b: Tensor = factor([k, n], turned[1], 2)?;
            Box::new(move || done(a.matmul(&b)))
        }
        Work::Vector { rows, columns, turned } => {
            let a = new(&[rows, columns], 1)?;
            let a = if turned { a.transpose() } else { a };
            let x = new(&[if turned { rows } else { columns }, 1], 2)?;
            Box::new(move || done(a.matmul(&x)))
        }
        Work::Sum { side, axis: None } => {
            let x = square(side)?;
            Box::new(move || done(x.sum()))
        }
        Work::Sum { side, axis: Some(axis) } => {
            let x = square(side)?;
            Box::new(move || done(x.sum_over(&[axis], Keep::No)))
        }
        Work::SumOver { sizes, axes } => {
            let x = new(&sizes, 1)?;
            Box::new(move || done(x.sum_over(axes, Keep::No)))
        }
        Work::Max { side, axis } => {
            let x = square(side)?;
            Box::new(move || done(x.max_over(&[axis], Keep::No)))
        }
        Work::Turn(side) => {
            let x = square(side)?.transpose();
            // One axis cannot be seen in it without a copy.
            Box::new(move || done(x.reshape(&[side * side])))
        }
        Work::AddRow(side) => {
            let (x, row) = (square(side)?, new(&[side], 2)?);
            Box::new(move || done(x.add(&row)))
        }
        Work::Softmax { rows, columns } => {
            let x = new(&[rows, columns], 1)?;
            Box::new(move || done(x.softmax()))
        }
        Work::LogSoftmax { rows, columns } => {
            let x = new(&[rows, columns], 1)?;
            Box::new(move || done(x.log_softmax()))
        }
        Work::Gather { rows, columns } => {
            let x = new(&[rows, columns], 1)?;
            let places = scattered(rows);
            Box::new(move || done(x.index_select(0, &places)))
        }
        Work::Notebook(n) => {
            let x = new(&[n], 1)?.requires_grad();
            let y = new(&[n], 2)?.requires_grad();
            Box::new(move || {
                let sum = x.mul(&y).mul(&y).sum();
                sum.backward();
                done(sum);
                gradients_done(&[&x, &y]);
            })
        }
        Work::Chain(links) | Work::Forward(links) => {
            let leaf = |value| Tensor::new(&[1], &[value], device);
            let [y, b, a] = [leaf(1.0)?, leaf(0.999)?, leaf(0.002)?]
                .map(Tensor::requires_grad);
            Box::new(move || {
                let mut last = y.clone();
                for _ in 0..links {
                    last = last.mul(&b).add(&a);
                }
                if let Work::Chain(_) = work {
                    last.backward();
                }
                done(last);
                gradients_done(&[&y, &b, &a]);
            })
        }
        Work::Mlp { batch, inputs, hidden } => {
            mlp(device, [batch, inputs, hidden])?
        }
        Work::Cnn(batch) => cnn(device, batch)?,
        Work::Gpt(sizes) => gpt(device, sizes)?,
    })
}

/// Lists each place once, neighbors far apart.
fn scattered(count: usize) -> Vec<usize> {
    // Prime, and so without a divisor that the count has too.
    (0..count).map(|place| place * 7919 % count).collect()
}

fn labels(batch: usize) -> Vec<usize> {
    (0..batch).map(|place| place % 10).collect()
}

fn parameters<const N: usize>(
    device: Device,
    shapes: [&[usize]; N],
) -> Result<Vec<Tensor>, Error> {
    let small = |(shape, seed): (&[usize], u64)| {
        let x = numbers(device, shape, seed)?;
        Ok(no_grad(|| x.scale(0.1)).requires_grad())
    };
    shapes.into_iter().zip(2..).map(small).collect()
}

/// Takes a step against the gradient, as a new leaf.
fn improve(parameters: &mut [Tensor]) {
    for parameter in parameters {
        let grad = parameter.grad().expect("backward has been there");
        let better = no_grad(|| parameter.add(&grad.scale(-RATE)));
        *parameter = better.requires_grad();
    }
}

fn mlp(
    device: Device,
    [batch, inputs, hidden]: [usize; 3],
) -> Result<Run, Error> {
    let x = numbers(device, &[batch, inputs], 1)?;
    let labels = labels(batch);
    let shapes = [&[inputs, hidden][..], &[hidden], &[hidden, 10], &[10]];
    let mut p = parameters(device, shapes)?;
    Ok(Box::new(move || {
        let h = x.matmul(&p[0]).add(&p[1]).relu();
        let loss = h.matmul(&p[2]).add(&p[3]).cross_entropy(&labels);
        loss.backward();
        improve(&mut p);
        done(loss);
    }))
}

fn cnn(device: Device, batch: usize) -> Result<Run, Error> {
    let x = numbers(device, &[batch, 1, 28, 28], 1)?;
    let labels = labels(batch);
    let filters = [&[8, 1, 3, 3][..], &[8], &[16, 8, 3, 3], &[16]];
    let [a, b, c, d] = filters;
    let mut p = parameters(device, [a, b, c, d, &[784, 10], &[10]])?;
    let options = ConvOptions::new().padding([1, 1]);
    let pool = Window::new([2, 2]).stride([2, 2]);
    Ok(Box::new(move || {
        let h = x.conv2d(&p[0], Some(&p[1]), &options).relu();
        let h = h.max_pool2d(&pool);
        let h = h.conv2d(&p[2], Some(&p[3]), &options).relu();
        let h = h.max_pool2d(&pool).reshape(&[batch, 784]);
        let loss = h.matmul(&p[4]).add(&p[5]).cross_entropy(&labels);
        loss.backward();
        improve(&mut p);
        done(loss);
    }))
}

fn gpt(device: Device, of: Transformer) -> Result<Run, Error> {
    let sizes = GptSizes {
        vocabulary: of.vocabulary,
        context: of.context,
        layers: of.layers,
        heads: of.heads,
        width: of.width,
        dropout: 0.0,
    };
    let mut gpt = Gpt::new(sizes, &mut Random::new(1));
    gpt.to(device)?;
    let tokens = |step| -> Vec<usize> {
        let places = 0..of.batch * of.context;
        places.map(|place| place * step % of.vocabulary).collect()
    };
    let (inputs, targets) = (tokens(7), tokens(11));
    let mut adam = AdamW::new(1e-3, 0.01);
    Ok(Box::new(move || {
        let loss = gpt.scores(&inputs, of.context).cross_entropy(&targets);
        loss.backward();
        adam.step(gpt.parameters_mut());
        done(loss);
    }))
}

/// Builds the row on Part 1's tensors; none where Part 1 has no such
/// operation.
pub(crate) fn part1(work: Work) -> Result<Option<Run>, Error> {
    let new = |shape: &[usize], seed| -> Result<Part1, Error> {
        let values = numbers(Device::Cpu, shape, seed)?.to_vec()?;
        Ok(Part1::new(shape, &values))
    };
    Ok(Some(match work {
        Work::Multiply(n) => {
            let (x, y) = (new(&[n], 1)?, new(&[n], 2)?);
            Box::new(move || gone(x.mul(&y)))
        }
        Work::Product {
            batch: 1,
            sizes: [m, k, n],
            turned: [false, false],
        } => {
            let (a, b) = (new(&[m, k], 1)?, new(&[k, n], 2)?);
            Box::new(move || gone(a.matmul(&b)))
        }
        Work::Notebook(n) => {
            let (x, y) = (new(&[n], 1)?, new(&[n], 2)?);
            Box::new(move || {
                x.mul(&y).mul(&y).sum().backward();
                x.zero_grad();
                y.zero_grad();
            })
        }
        Work::Chain(links) | Work::Forward(links) => {
            let leaf = |value| Part1::new(&[1], &[value]);
            let [y, b, a] = [1.0, 0.999, 0.002].map(leaf);
            Box::new(move || {
                let mut last = y.clone();
                for _ in 0..links {
                    last = last.mul(&b).add(&a);
                }
                if let Work::Chain(_) = work {
                    last.backward();
                    [&y, &b, &a].iter().for_each(|leaf| leaf.zero_grad());
                }
            })
        }
        Work::Mlp { batch, inputs, hidden } => {
            let x = new(&[batch, inputs], 1)?;
            let labels = labels(batch);
            let shapes =
                [&[inputs, hidden][..], &[hidden], &[hidden, 10], &[10]];
            let small = |(shape, seed): (&[usize], u64)| {
                Ok(Part1::from(&*new(shape, seed)?.data() * 0.1))
            };
            let p = shapes.into_iter().zip(2..).map(small);
            let mut p = p.collect::<Result<Vec<Part1>, Error>>()?;
            Box::new(move || {
                let h = x.matmul(&p[0]).add(&p[1]).relu();
                h.matmul(&p[2]).add(&p[3]).cross_entropy(&labels).backward();
                for parameter in &mut p {
                    let grad = parameter.grad().expect("backward was there");
                    let better = &*parameter.data() - &(grad * RATE);
                    *parameter = Part1::from(better);
                }
            })
        }
        _ => return Ok(None),
    }))
}
