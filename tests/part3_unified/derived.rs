//! Operations that are composed from others in a few lines, each compared with
//! its definition in `f64`: one row of [`ALL`] per operation.

mod by_index;

use rungrad::ops::Keep;
use rungrad::part3_unified::{Device, Tensor};
use rungrad::reference::{self, Array};
use rungrad::shape;

use self::by_index::{
    conv2d, gather, index_add, matmul, pad, pool, repeat, scatter_add, stack,
    triangle,
};
use super::cases::{gradients, near};
use super::layouts::random_layout;
use testkit::random::Random;

/// A call with the shapes of its operands, and the reference result.
pub(super) struct Derived {
    pub(super) what: String,
    pub(super) shapes: Vec<Vec<usize>>,
    /// The result is not rounded.
    is_exact: bool,
    /// Repeated elements tie, or make a deviation 0; `special_values.rs`
    /// checks the derivatives there.
    has_ties: bool,
    /// Moves elements away from poles, kinks and jumps.
    domain: fn(f32) -> f32,
    pub(super) call: OperandsFn<Tensor>,
    pub(super) judge: OperandsFn<Array>,
}

/// A function from operands to a result.
type OperandsFn<T> = Box<dyn Fn(&[T]) -> T>;

/// Each function draws its parameters and shapes.
pub(super) const ALL: &[fn(&mut Random) -> Derived] = &[
    |r| each(r, "tan", Tensor::tan, f64::tan).within(|x| x.clamp(-1.2, 1.2)),
    |r| each(r, "clamp", |x| x.clamp(-1.125, 0.75), limited).exact(),
    |r| each(r, "ceil", Tensor::ceil, f64::ceil).within(half_integer).exact(),
    |r| each(r, "silu", Tensor::silu, |x| x / (1.0 + (-x).exp())),
    |r| each(r, "gelu_tanh", Tensor::gelu_tanh, gelu_tanh),
    |r| each(r, "elu", |x| x.elu(0.5), |x| x.max(0.5 * x.min(0.0).exp_m1())),
    |r| each(r, "leaky_relu", |x| x.leaky_relu(0.25), |x| x.max(0.25 * x)),
    |r| each(r, "softplus", Tensor::softplus, |x| x.exp().ln_1p()),
    |r| each(r, "log_sigmoid", Tensor::log_sigmoid, |x| -(-x).exp().ln_1p()),
    |r| minimum(r).exact(),
    |r| whole(r, "min", Tensor::min, least).exact().ties(),
    |r| over(r, "min_over", Tensor::min_over, least).exact().ties(),
    |r| whole(r, "prod", Tensor::prod, |x| x.iter().product()),
    |r| over(r, "prod_over", Tensor::prod_over, |x| x.iter().product()),
    |r| whole(r, "var", Tensor::var, variance),
    |r| over(r, "var_over", Tensor::var_over, variance),
    |r| whole(r, "std", Tensor::std, |x| variance(x).sqrt()).ties(),
    |r| over(r, "std_over", Tensor::std_over, |x| variance(x).sqrt()).ties(),
    |r| whole(r, "norm", Tensor::norm, length),
    |r| over(r, "norm_over", Tensor::norm_over, length),
    |r| whole(r, "logsumexp", Tensor::logsumexp, logsumexp),
    |r| over(r, "logsumexp_over", Tensor::logsumexp_over, logsumexp),
    |r| along(r, "cumsum", Tensor::cumsum, |x, i| x[..=i].iter().sum()),
    |r| along(r, "softmax_over", Tensor::softmax_over, softmax_element),
    |r| {
        along(r, "log_softmax_over", Tensor::log_softmax_over, |x, i| {
            softmax_element(x, i).ln()
        })
    },
    |r| pad(r).exact(),
    |r| stack(r).exact(),
    |r| repeat(r).exact(),
    |r| triangle(r, "tril", Tensor::tril, |over, most| over <= most).exact(),
    |r| triangle(r, "triu", Tensor::triu, |over, least| over >= least).exact(),
    |r| gather(r).exact(),
    scatter_add,
    index_add,
    conv2d,
    |r| pool(r, "max_pool2d", Tensor::max_pool2d, largest).exact().ties(),
    |r| pool(r, "avg_pool2d", Tensor::avg_pool2d, mean),
    matmul,
    layer_norm,
];

impl Derived {
    fn new(
        what: String,
        shapes: &[&[usize]],
        call: impl Fn(&[Tensor]) -> Tensor + 'static,
        judge: impl Fn(&[Array]) -> Array + 'static,
    ) -> Derived {
        Derived {
            what: format!("{what} of {shapes:?}"),
            shapes: shapes.iter().map(|shape| shape.to_vec()).collect(),
            is_exact: false,
            has_ties: false,
            domain: |x| x,
            call: Box::new(call),
            judge: Box::new(judge),
        }
    }

    fn exact(self) -> Derived {
        Derived { is_exact: true, ..self }
    }

    fn ties(self) -> Derived {
        Derived { has_ties: true, ..self }
    }

    fn within(self, domain: fn(f32) -> f32) -> Derived {
        Derived { domain, ..self }
    }

    /// Returns random elements for an operand.
    pub(super) fn values(&self, n: usize, random: &mut Random) -> Vec<f32> {
        let values = random.values(n).into_iter();
        values.map(self.domain).collect()
    }
}

/// Compares a random derived operation on a device with its definition.
pub(super) fn agrees(random: &mut Random, device: Device, seed: u64) {
    let one = ALL[random.below(ALL.len())](random);
    let what = format!("seed {seed} on {device}: {}", one.what);
    let (mut tensors, mut arrays) = (Vec::new(), Vec::new());
    for shape in &one.shapes {
        let mut values = one.values(shape.iter().product(), random);
        tensors.push(random_layout(random, shape, &mut values, device).0);
        arrays.push(Array::new(shape, &values));
    }
    let right = (one.judge)(&arrays);
    let roundings = if one.is_exact { 0.0 } else { 256.0 };
    let bound = |y: &f64| roundings * 2f64.powi(-24) * y.abs().max(1.0);
    let values = right.values.iter().map(bound).collect();
    let allowed = Array { shape: right.shape.clone(), values };
    near(&(one.call)(&tensors), &right, &allowed, &what);
    if !seed.is_multiple_of(7) {
        return;
    }
    if one.has_ties {
        let leaf = |shape: &Vec<usize>| {
            let values = one.values(shape.iter().product(), random);
            Tensor::new(shape, &values, device).unwrap().requires_grad()
        };
        tensors = one.shapes.iter().map(leaf).collect();
    }
    gradients(random, device, &what, |_| (one.call)(&tensors));
}

fn sizes(random: &mut Random, most: usize) -> Vec<usize> {
    let rank = 1 + random.below(3);
    (0..rank).map(|_| random.below(most + 1)).collect()
}

/// Returns the indices of all elements of a shape.
fn indices(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> + use<> {
    let (shape, strides) = (shape.to_vec(), shape::strides(shape));
    (0..shape::size(&shape)).map(move |at| {
        let axes = strides.iter().zip(&shape);
        axes.map(|(&step, &n)| at / step as usize % n).collect()
    })
}

pub(super) fn fill(shape: &[usize], of: impl Fn(&[usize]) -> f64) -> Array {
    let values = indices(shape).map(|at| of(&at)).collect();
    Array { shape: shape.to_vec(), values }
}

fn linear_index(shape: &[usize], at: &[usize]) -> usize {
    let strides = shape::strides(shape);
    at.iter().zip(strides).map(|(i, step)| i * step as usize).sum()
}

pub(super) fn element(a: &Array, at: &[usize]) -> f64 {
    a.values[linear_index(&a.shape, at)]
}

/// Returns the same index with a different position along one axis.
pub(super) fn with(at: &[usize], axis: usize, place: usize) -> Vec<usize> {
    let mut at = at.to_vec();
    at[axis] = place;
    at
}

fn each(
    random: &mut Random,
    name: &str,
    call: fn(&Tensor) -> Tensor,
    judge: fn(f64) -> f64,
) -> Derived {
    let shape = sizes(random, 4);
    let judge =
        move |of: &[Array]| fill(&of[0].shape, |at| judge(element(&of[0], at)));
    Derived::new(name.into(), &[&shape], move |of| call(&of[0]), judge)
}

fn limited(x: f64) -> f64 {
    x.clamp(-1.125, 0.75)
}

/// Rounds to the middle between two integers.
fn half_integer(x: f32) -> f32 {
    x.floor() + 0.5
}

fn minimum(random: &mut Random) -> Derived {
    let operands = random.case("add").operands;
    let [(a, _), (b, _)] = &operands[..] else { unreachable!() };
    let both = shape::broadcast(a, b).unwrap();
    let judge = move |of: &[Array]| {
        let [a, b] = [0, 1].map(|i| reference::expand(&of[i], &both));
        fill(&both, |at| element(&a, at).min(element(&b, at)))
    };
    let call = |of: &[Tensor]| of[0].minimum(&of[1]);
    Derived::new("minimum".into(), &[a, b], call, judge)
}

/// Draws a shape and some of its axes, with at least two elements along each.
fn axes(random: &mut Random) -> (Vec<usize>, Vec<usize>) {
    let mut shape = sizes(random, 3);
    let mut axes: Vec<usize> = (0..shape.len()).collect();
    random.shuffle(&mut axes);
    axes.truncate(1 + random.below(shape.len()));
    axes.iter().for_each(|&axis| shape[axis] = 2 + random.below(2));
    (shape, axes)
}

/// Reduces the elements along some axes, for each index of the other axes.
fn reduced(a: &Array, axes: &[usize], judge: fn(&[f64]) -> f64) -> Array {
    let part = |within: bool| -> Vec<usize> {
        let sizes = a.shape.iter().enumerate();
        let size =
            |(axis, &n)| if axes.contains(&axis) == within { n } else { 1 };
        sizes.map(size).collect()
    };
    fill(&part(false), |at| {
        let places = indices(&part(true)).map(|inner| {
            let both = at.iter().zip(&inner).map(|(i, j)| i + j);
            element(a, &both.collect::<Vec<_>>())
        });
        judge(&places.collect::<Vec<_>>())
    })
}

fn whole(
    random: &mut Random,
    name: &str,
    call: fn(&Tensor) -> Tensor,
    judge: fn(&[f64]) -> f64,
) -> Derived {
    let shape: Vec<usize> =
        axes(random).0.iter().map(|n| n.max(&2)).copied().collect();
    let judge = move |of: &[Array]| fill(&[], |_| judge(&of[0].values));
    Derived::new(name.into(), &[&shape], move |of| call(&of[0]), judge)
}

fn over(
    random: &mut Random,
    name: &str,
    call: fn(&Tensor, &[usize], Keep) -> Tensor,
    judge: fn(&[f64]) -> f64,
) -> Derived {
    let (shape, axes) = axes(random);
    let keep = [Keep::Yes, Keep::No][random.below(2)];
    let given = axes.clone();
    let judge = move |of: &[Array]| {
        let Array { mut shape, values } = reduced(&of[0], &axes, judge);
        if keep == Keep::No {
            let mut place = 0..;
            shape.retain(|_| !axes.contains(&place.next().unwrap()));
        }
        Array { shape, values }
    };
    let what = format!("{name} {given:?} {keep:?}");
    Derived::new(what, &[&shape], move |of| call(&of[0], &given, keep), judge)
}

fn along(
    random: &mut Random,
    name: &str,
    call: fn(&Tensor, usize) -> Tensor,
    judge: fn(&[f64], usize) -> f64,
) -> Derived {
    let shape = sizes(random, 4);
    let axis = random.below(shape.len());
    let judge = move |of: &[Array]| {
        fill(&of[0].shape, |at| {
            let line = (0..of[0].shape[axis])
                .map(|place| element(&of[0], &with(at, axis, place)));
            judge(&line.collect::<Vec<_>>(), at[axis])
        })
    };
    let what = format!("{name} {axis}");
    Derived::new(what, &[&shape], move |of| call(&of[0], axis), judge)
}

/// Normalizes rows, with a weight and a bias per column.
fn layer_norm(random: &mut Random) -> Derived {
    let [rows, n] = [random.below(4), 1 + random.below(4)];
    let judge = |of: &[Array]| {
        let n = of[1].values.len();
        fill(&of[0].shape, |at| {
            let row = &of[0].values[at[0] * n..][..n];
            let mean = mean(row, n);
            let squares = row.iter().map(|x| (x - mean) * (x - mean));
            let var = squares.sum::<f64>() / n as f64;
            let y = (row[at[1]] - mean) / (var + 0.5).sqrt();
            y * of[1].values[at[1]] + of[2].values[at[1]]
        })
    };
    let call = |of: &[Tensor]| of[0].layer_norm(&of[1], &of[2], 0.5);
    Derived::new("layer_norm".into(), &[&[rows, n], &[n], &[n]], call, judge)
}

fn gelu_tanh(x: f64) -> f64 {
    let t = (2.0 / std::f64::consts::PI).sqrt() * (x + 0.044715 * x.powi(3));
    0.5 * x * (1.0 + t.tanh())
}

fn least(x: &[f64]) -> f64 {
    x.iter().copied().fold(f64::INFINITY, f64::min)
}

fn largest(x: &[f64], _: usize) -> f64 {
    x.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// Mean of a window, whose padding counts as zeros.
fn mean(x: &[f64], size: usize) -> f64 {
    x.iter().sum::<f64>() / size as f64
}

fn variance(x: &[f64]) -> f64 {
    let mean = mean(x, x.len());
    let squares = x.iter().map(|x| (x - mean) * (x - mean));
    squares.sum::<f64>() / (x.len() as f64 - 1.0)
}

fn length(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

fn logsumexp(x: &[f64]) -> f64 {
    x.iter().map(|x| x.exp()).sum::<f64>().ln()
}

fn softmax_element(x: &[f64], i: usize) -> f64 {
    (x[i] - logsumexp(x)).exp()
}
