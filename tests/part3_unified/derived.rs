//! The operations of Part 3 that are made of others in a line or two, each
//! beside its definition in `f64`.

use rungrad::ops::Keep;
use rungrad::part3_unified::Tensor;
use rungrad::reference::Array;

use super::common::random::Random;

/// An operation, what it is by definition, and its operands.
pub(super) struct Derived {
    pub(super) name: &'static str,
    pub(super) call: fn(&[Tensor]) -> Tensor,
    pub(super) judge: fn(&[Array]) -> Array,
    operands: Operands,
}

/// What the operands are like.
enum Operands {
    /// One of any shape.
    One,
    /// One with at least two rows of at least one element.
    Rows,
    /// One of any shape, of which no element is near a whole number.
    Broken,
    /// Two of shapes that broadcast.
    Two,
}

use Operands::{Broken, One, Rows, Two};

impl Derived {
    /// Shapes for the operands.
    pub(super) fn shapes(&self, random: &mut Random) -> Vec<Vec<usize>> {
        let mut size = |least| least + random.below(4);
        match self.operands {
            One | Broken => vec![vec![size(0), size(1)]],
            Rows => vec![vec![size(2), size(1)]],
            Two => {
                let [rows, columns] = [size(0), size(1)];
                vec![vec![rows, columns], vec![columns]]
            }
        }
    }

    /// The elements of an operand.
    pub(super) fn values(&self, n: usize, random: &mut Random) -> Vec<f32> {
        let mut values = random.values(n);
        if let Broken = self.operands {
            values.iter_mut().for_each(|x| *x = x.floor() + 0.5);
        }
        // At a pole `f32` rounds the angle by more than the tangent takes.
        if self.name == "tan" {
            values.iter_mut().for_each(|x| *x = x.clamp(-1.2, 1.2));
        }
        values
    }
}

/// A row of the table.
macro_rules! derived {
    ($($name:literal $operands:ident $call:expr, $judge:expr;)*) => {
        pub(super) const ALL: &[Derived] = &[$(Derived {
            name: $name,
            call: $call,
            judge: $judge,
            operands: $operands,
        }),*];
    };
}

derived! {
    "tan" One |of| of[0].tan(), |of| each(&of[0], f64::tan);
    "minimum" Two |of| of[0].minimum(&of[1]), |of| pairs(of, f64::min);
    "clamp" One |of| of[0].clamp(-1.1, 0.7),
        |of| each(&of[0], |x| x.clamp(f64::from(-1.1f32), f64::from(0.7f32)));
    "ceil" Broken |of| of[0].ceil(), |of| each(&of[0], f64::ceil);
    "silu" One |of| of[0].silu(), |of| each(&of[0], |x| x / (1.0 + (-x).exp()));
    "elu" One |of| of[0].elu(0.5),
        |of| each(&of[0], |x| if x > 0.0 { x } else { 0.5 * x.exp_m1() });
    "leaky_relu" One |of| of[0].leaky_relu(0.25),
        |of| each(&of[0], |x| if x > 0.0 { x } else { 0.25 * x });
    "softplus" One |of| of[0].softplus(),
        |of| each(&of[0], |x| x.exp().ln_1p());
    "log_sigmoid" One |of| of[0].log_sigmoid(),
        |of| each(&of[0], |x| -(-x).exp().ln_1p());
    "min" Rows |of| of[0].min(), |of| all(&of[0], least);
    "min_over" Rows |of| of[0].min_over(&[0], Keep::Yes),
        |of| down(&of[0], Keep::Yes, least);
    "prod" One |of| of[0].prod(), |of| all(&of[0], product);
    "prod_over" One |of| of[0].prod_over(&[0], Keep::No),
        |of| down(&of[0], Keep::No, product);
    "var" Rows |of| of[0].var(), |of| all(&of[0], variance);
    "var_over" Rows |of| of[0].var_over(&[0], Keep::Yes),
        |of| down(&of[0], Keep::Yes, variance);
    "std" Rows |of| of[0].std(), |of| all(&of[0], |x| variance(x).sqrt());
    "std_over" Rows |of| of[0].std_over(&[0], Keep::No),
        |of| down(&of[0], Keep::No, |x| variance(x).sqrt());
    "norm" Rows |of| of[0].norm(), |of| all(&of[0], length);
    "norm_over" Rows |of| of[0].norm_over(&[0], Keep::Yes),
        |of| down(&of[0], Keep::Yes, length);
    "logsumexp" Rows |of| of[0].logsumexp(), |of| all(&of[0], logsumexp);
    "logsumexp_over" Rows |of| of[0].logsumexp_over(&[0], Keep::No),
        |of| down(&of[0], Keep::No, logsumexp);
    "cumsum" One |of| of[0].cumsum(0), |of| lines(&of[0], 0, running);
    "cumsum along rows" One |of| of[0].cumsum(1),
        |of| lines(&of[0], 1, running);
    "softmax_over" One |of| of[0].softmax_over(0),
        |of| lines(&of[0], 0, |x| shares(x, |share| share));
    "log_softmax_over" One |of| of[0].log_softmax_over(0),
        |of| lines(&of[0], 0, |x| shares(x, f64::ln));
}

fn each(a: &Array, f: impl Fn(f64) -> f64) -> Array {
    let values = a.values.iter().map(|&x| f(x)).collect();
    Array { shape: a.shape.clone(), values }
}

/// A matrix and a row that is stretched over its rows.
fn pairs(of: &[Array], f: fn(f64, f64) -> f64) -> Array {
    let row = of[1].values.iter().cycle();
    let values = of[0].values.iter().zip(row).map(|(&x, &y)| f(x, y));
    Array { shape: of[0].shape.clone(), values: values.collect() }
}

fn all(a: &Array, f: fn(&[f64]) -> f64) -> Array {
    Array { shape: vec![], values: vec![f(&a.values)] }
}

/// The columns of a matrix.
fn columns(a: &Array) -> Vec<Vec<f64>> {
    let width = a.shape[1];
    let column = |j: usize| a.values.iter().skip(j).step_by(width).copied();
    (0..width).map(|j| column(j).collect()).collect()
}

/// Each column of a matrix into one number.
fn down(a: &Array, keep: Keep, f: fn(&[f64]) -> f64) -> Array {
    let values: Vec<f64> = columns(a).iter().map(|x| f(x)).collect();
    let shape = match keep {
        Keep::Yes => vec![1, a.shape[1]],
        Keep::No => vec![a.shape[1]],
    };
    Array { shape, values }
}

/// Each column of a matrix, or each row, into as many numbers.
fn lines(a: &Array, axis: usize, f: fn(&[f64]) -> Vec<f64>) -> Array {
    let width = a.shape[1];
    let values = match axis {
        0 => {
            let done: Vec<_> = columns(a).iter().map(|x| f(x)).collect();
            let at = |i: usize| done[i % width][i / width];
            (0..a.values.len()).map(at).collect()
        }
        _ => a.values.chunks(width).flat_map(f).collect(),
    };
    Array { shape: a.shape.clone(), values }
}

fn least(x: &[f64]) -> f64 {
    x.iter().copied().fold(f64::INFINITY, f64::min)
}

fn product(x: &[f64]) -> f64 {
    x.iter().product()
}

fn variance(x: &[f64]) -> f64 {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    let squares = x.iter().map(|x| (x - mean) * (x - mean));
    squares.sum::<f64>() / (x.len() as f64 - 1.0)
}

fn length(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn logsumexp(x: &[f64]) -> f64 {
    x.iter().map(|x| x.exp()).sum::<f64>().ln()
}

fn running(x: &[f64]) -> Vec<f64> {
    (0..x.len()).map(|i| x[..=i].iter().sum()).collect()
}

fn shares(x: &[f64], f: fn(f64) -> f64) -> Vec<f64> {
    let total: f64 = x.iter().map(|x| x.exp()).sum();
    x.iter().map(|x| f(x.exp() / total)).collect()
}
