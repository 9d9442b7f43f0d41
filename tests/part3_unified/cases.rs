//! Ten thousand seeded cases on each device, compared with the `f64`
//! reference: every operation, on operands of every memory layout, with sizes
//! of 0 and 1.
//!
//! Operations that only move or compare elements must be exact. Other
//! operations may err by one rounding, 2^-24 of a magnitude, for each
//! operation that an element goes through; see `Call::allowed`.

use rungrad::library::functions::{Conv2d, IndexAdd};
use rungrad::ops::{Keep, OPERATIONS, Op};
use rungrad::part3_unified::{Device, Tensor, Unary, apply, no_grad, trace};
use rungrad::reference::{self, Array};
use rungrad::shape::{self, Span, Window};

use super::derived;
use super::devices;
use super::layouts::random_layout;
use testkit::calls::Call;
use testkit::cases::Case;
use testkit::clean;
use testkit::device::gpu_or_skip;
use testkit::engine::{Engine, Part3};
use testkit::random::{Random, cases, first_seed};
use testkit::verdict::assert_rules_are_right;

/// The gradients are checked in one case of seven.
const CASES: u64 = 10_000;

/// Promise: Every operation of Part 3 is right for operands in any memory
/// layout on the CPU, in 10,000 random cases.
#[test]
fn every_operation_is_right_on_the_cpu() {
    let _clean = clean();
    agree(Device::Cpu, CASES);
}

/// Promise: Every operation of Part 3 is right for operands in any memory
/// layout on an OpenCL device, in 10,000 random cases.
#[test]
#[ignore = "slow: 23 s, ten thousand cases"]
fn every_operation_is_right_on_an_opencl_device() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    agree(Device::Gpu(gpu.info().index), CASES);
}

/// Promise: Every operation of Part 3 is right for operands in any memory
/// layout on both plain devices, in 1,000 random cases.
#[test]
fn a_thousand_cases_on_the_plain_devices() {
    let _clean = clean();
    agree(Device::PlainCpu, 1000);
    let Some(gpu) = gpu_or_skip() else { return };
    agree(Device::Plain(gpu.info().index), 1000);
}

/// The engine's comparison and the one of Rust.
type Comparison =
    (&'static str, fn(&Tensor, &Tensor) -> Tensor, fn(&f64, &f64) -> bool);

const COMPARISONS: [Comparison; 5] = [
    ("lt", Tensor::lt, f64::lt),
    ("le", Tensor::le, f64::le),
    ("eq", Tensor::eq, f64::eq),
    ("gt", Tensor::gt, f64::gt),
    ("ge", Tensor::ge, f64::ge),
];

/// Promise: A comparison of tensors gives the result of Rust, ties and NaN
/// included.
#[test]
fn comparisons_agree_with_rust() {
    let _clean = clean();
    for device in devices() {
        for seed in first_seed()..first_seed() + cases(500) {
            compare(&mut Random(seed), device, seed);
        }
    }
}

/// Two operands that broadcast, with few different values, so that many are
/// equal, and some NaN.
fn compare(random: &mut Random, device: Device, seed: u64) {
    let operands = random.case("add").operands;
    let [(x, a), (y, b)] = [0, 1].map(|i| {
        let (shape, mut values) = operands[i].clone();
        for value in &mut values {
            *value =
                if random.below(8) == 0 { f32::NAN } else { value.round() };
        }
        let tensor = random_layout(random, &shape, &mut values, device).0;
        (tensor, Array::new(&shape, &values))
    });
    let what = format!("seed {seed} on {device}");
    let both = shape::broadcast(&a.shape, &b.shape).expect("they stretch");
    let (a, b) = (reference::expand(&a, &both), reference::expand(&b, &both));
    for (name, yours, right) in COMPARISONS {
        let pairs = a.values.iter().zip(&b.values);
        let right: Vec<f32> =
            pairs.map(|(a, b)| f32::from(right(a, b))).collect();
        let out = yours(&x, &y);
        assert_eq!(out.shape(), both);
        assert_eq!(out.to_vec().unwrap(), right, "{what}: {name}");
        assert!(out.id().is_none(), "a comparison has no slope");
    }
}

fn agree(device: Device, count: u64) {
    for seed in first_seed()..first_seed() + cases(count) {
        let mut random = Random(seed);
        let name = random.below(OPERATIONS.len() + 12);
        trace(|| match OPERATIONS.get(name) {
            Some(name) => {
                check_shared_operation(&mut random, name, device, seed)
            }
            None if name < OPERATIONS.len() + 5 => {
                check_part_3_operation(&mut random, device, seed)
            }
            None => derived::agrees(&mut random, device, seed),
        });
    }
}

/// Checks an operation that all parts have, on operands with random layouts.
fn check_shared_operation(
    random: &mut Random,
    name: &str,
    device: Device,
    seed: u64,
) {
    let mut case: Case = random.case(name);
    let tensors: Vec<Tensor> = (case.operands.iter_mut())
        .map(|(shape, values)| random_layout(random, shape, values, device).0)
        .collect();
    let operands: Vec<&Tensor> = tensors.iter().collect();
    let out = Part3(device).call(&case.call, &operands).unwrap();
    let right = case.call.judge(&case.arrays());
    let allowed = case.call.allowed(&case.arrays());
    let what = format!("seed {seed} on {device}: {}", case.what());
    near(&out, &right, &allowed, &what);
    // Repeated elements tie for the maximum, where no derivative exists.
    if seed.is_multiple_of(7) && !matches!(case.call, Call::Max(..)) {
        let mut again = Random(seed ^ 1 << 40);
        gradients(&mut again, device, &what, |random| {
            let operands: Vec<Tensor> = (case.operands.iter())
                .map(|(s, v)| {
                    random_layout(random, s, &mut v.clone(), device).0
                })
                .collect();
            let operands: Vec<&Tensor> = operands.iter().collect();
            Part3(device).call(&case.call, &operands).unwrap()
        });
    }
}

/// Checks every rule on the tape of a loss.
pub(super) fn gradients(
    random: &mut Random,
    device: Device,
    what: &str,
    build: impl FnOnce(&mut Random) -> Tensor,
) {
    let out = build(random);
    let weights = random.values(out.array().len());
    let weights = Tensor::new(out.shape(), &weights, device).unwrap();
    let tape = out.mul(&weights).sum().backward_recorded();
    assert_rules_are_right(&tape, what);
}

#[track_caller]
pub(super) fn near(out: &Tensor, right: &Array, allowed: &Array, what: &str) {
    assert_eq!(out.shape(), right.shape, "{what}: the shape of the result");
    let yours = out.to_vec().unwrap();
    let pairs = yours.iter().zip(right.values.iter().zip(&allowed.values));
    for (i, (yours, (right, allowed))) in pairs.enumerate() {
        let error = (f64::from(*yours) - right).abs();
        assert!(
            error <= *allowed || (yours.is_nan() && right.is_nan()),
            "{what}: element {i} is {yours}, not {right}"
        );
    }
}

/// Checks an operation that only Part 3 has.
fn check_part_3_operation(random: &mut Random, device: Device, seed: u64) {
    let (op, shapes) = operation(random);
    let mut arrays = Vec::new();
    let mut tensors = Vec::new();
    for (place, shape) in shapes.iter().enumerate() {
        let mut values = operand(&op, place, shape, random);
        tensors.push(random_layout(random, shape, &mut values, device).0);
        arrays.push(Array::new(shape, &values));
    }
    // A mask of zeros and ones, and one with other values.
    if op == Op::WhereCond {
        let mask = tensors[0].lt(&tensors[1]).scale(-2.0);
        let values = mask.to_vec().unwrap();
        arrays[0] = Array::new(&shapes[0], &values);
        tensors[0] = mask;
    }
    let what = format!("seed {seed} on {device}: {op:?} of {shapes:?}");
    let out = call(&op, &tensors);
    let right = judge(&op, &arrays);
    // One rounding for each product and each sum of values up to 2, or of 64
    // squares up to 16; OpenCL allows an error of 4 ULP for a sine.
    let roundings = match op {
        Op::Custom("mse") => 16.0 * (64.0 + 4.0),
        Op::Sum(..) | Op::Matmul | Op::IndexAdd(..) | Op::Fold(..) => 256.0,
        Op::Contract(..) | Op::Conv2d(..) => 256.0,
        Op::Scale(_) | Op::Shift(_) => 8.0,
        // Values up to 8; OpenCL allows 2.5 ULP.
        Op::DivScalar(_) | Op::RdivScalar(_) => 64.0,
        // Values up to 16; OpenCL allows 16 ULP.
        Op::PowTensor => 256.0,
        Op::Unary(op) => unary(op).roundings,
        _ => 0.0,
    };
    let bound = roundings * 2f64.powi(-24);
    let allowed = vec![bound; right.values.len()];
    let allowed = Array { shape: right.shape.clone(), values: allowed };
    near(&out, &right, &allowed, &what);
    if seed.is_multiple_of(7) {
        gradients(random, device, &what, |_| call(&op, &tensors));
    }
    let difference = no_grad(|| tensors[0].sub(&tensors[0]).sum());
    assert_eq!(difference.to_vec().unwrap(), [0.0], "{what}");
}

/// The elements of an operand, in the domain of the operation and away from
/// kinks and jumps.
pub(super) fn operand(
    op: &Op,
    place: usize,
    shape: &[usize],
    random: &mut Random,
) -> Vec<f32> {
    let mut values = random.values(shape.iter().product());
    for x in &mut values {
        *x = match op {
            Op::PowTensor if place == 0 => x.abs(),
            Op::Unary(op) => (unary(*op).operand)(*x),
            // All elements are different.
            Op::Maximum => (8.0 * *x).round() / 8.0 + place as f32 / 16.0,
            _ => *x,
        };
    }
    values
}

/// An elementwise operation with one operand.
pub(super) struct UnaryCase {
    op: Unary,
    call: fn(&Tensor) -> Tensor,
    /// The allowed error in units of 2^-24, for operands up to 2.
    roundings: f64,
    /// Moves an operand to where the operation has a derivative.
    operand: fn(f32) -> f32,
}

const fn case(
    op: Unary,
    call: fn(&Tensor) -> Tensor,
    roundings: f64,
    operand: fn(f32) -> f32,
) -> UnaryCase {
    UnaryCase { op, call, roundings, operand }
}

// OpenCL allows 2 to 4 ULP, and 16 for the error function.
pub(super) const UNARY: &[UnaryCase] = &[
    case(Unary::Sin, Tensor::sin, 8.0, |x| x),
    case(Unary::Cos, Tensor::cos, 8.0, |x| x),
    case(Unary::Erf, Tensor::erf, 256.0, |x| x),
    case(Unary::Log1p, Tensor::log1p, 256.0, f32::abs),
    case(Unary::Rsqrt, Tensor::rsqrt, 8.0, |x| x.abs() + 0.25),
    case(Unary::Exp2, Tensor::exp2, 32.0, |x| x),
    case(Unary::Log2, Tensor::log2, 8.0, |x| x.abs() + 0.25),
    // From 0.05 to 0.45 above an integer.
    case(Unary::Floor, Tensor::floor, 0.0, above_an_integer),
    case(Unary::Round, Tensor::round, 0.0, above_an_integer),
    case(Unary::Sign, Tensor::sign, 0.0, |x| x),
];

fn above_an_integer(x: f32) -> f32 {
    x.floor() + 0.05 + 0.4 * (x - x.floor())
}

fn unary(op: Unary) -> &'static UnaryCase {
    UNARY.iter().find(|case| case.op == op).expect("a row of UNARY")
}

pub(super) fn call(op: &Op, of: &[Tensor]) -> Tensor {
    let a = &of[0];
    match op {
        Op::Slice(spans) => a.slice(spans),
        Op::SliceAssign(spans) => a.slice_assign(spans, &of[1]),
        Op::Flip(axes) => a.flip(axes),
        Op::Cat(axis) => Tensor::cat(&of.iter().collect::<Vec<_>>(), *axis),
        Op::WhereCond => a.where_cond(&of[1], &of[2]),
        Op::IndexSelect(axis, places) => a.index_select(*axis, places),
        Op::IndexAdd(axis, places, count) => {
            let (axis, places, count) = (*axis, places.clone(), *count);
            apply(IndexAdd { axis, indices: places, count }, &[a])
        }
        Op::Windows(window) => a.windows(window),
        Op::Fold(window, image) => a.fold(window, *image),
        Op::Expand(shape) => a.expand(shape),
        Op::Permute(axes) => a.permute(axes),
        Op::Scale(number) => a.scale(*number),
        Op::Shift(number) => a.shift(*number),
        Op::DivScalar(number) => a.div_scalar(*number),
        Op::RdivScalar(number) => a.rdiv_scalar(*number),
        Op::Unary(op) => (unary(*op).call)(a),
        Op::Maximum => a.maximum(&of[1]),
        Op::PowTensor => a.pow_tensor(&of[1]),
        Op::Sum(axes, keep) => a.sum_over(axes, *keep),
        Op::Matmul => a.matmul(&of[1]),
        Op::Contract(batch, inner) => a.contract(&of[1], *batch, *inner),
        Op::Conv2d(window, groups) => {
            let groups = *groups;
            apply(Conv2d { window: **window, groups }, &[a, &of[1]])
        }
        Op::Custom("mse") => a.mse(&of[1]),
        other => panic!("{other:?} is called nowhere"),
    }
}

/// Computes the reference result. A derived operation is computed from its
/// definition.
pub(super) fn judge(op: &Op, of: &[Array]) -> Array {
    let of: Vec<&Array> = of.iter().collect();
    let Op::Custom("mse") = op else {
        return reference::forward(op, &of).expect("it is judged");
    };
    let minus = Array::new(&[], &[-1.0]);
    let gap = reference::add(of[0], &reference::mul(of[1], &minus));
    let mut mean = reference::sum(&reference::mul(&gap, &gap), &[]);
    mean.values[0] /= gap.values.len() as f64;
    mean
}

/// Draws one of Part 3's operations and the shapes of its operands.
pub(super) fn operation(random: &mut Random) -> (Op, Vec<Vec<usize>>) {
    let rank = 1 + random.below(3);
    let shape: Vec<usize> = (0..rank).map(|_| random.below(5)).collect();
    let one = |op: Op| (op, vec![shape.clone()]);
    let mut part = |n: usize| {
        let from = random.below(n + 1);
        let to = from + random.below(n - from + 1);
        Span::from(from..to).step(1 + random.below(3))
    };
    let spans: Vec<Span> = shape.iter().map(|&n| part(n)).collect();
    let pair = [random.below(3), random.below(3)];
    let mut order: Vec<usize> = (0..rank).collect();
    random.shuffle(&mut order);
    let axis = random.below(rank);
    match random.below(16) {
        0 => one(Op::Slice(spans)),
        1 => {
            let axes = spans.iter().zip(&shape);
            let part = axes.map(|(span, &n)| span.indices(n).len()).collect();
            (Op::SliceAssign(spans), vec![shape, part])
        }
        2 => one(Op::Flip(order[..1 + axis].to_vec())),
        3 => one(Op::Permute(order)),
        4 => one(Op::Expand([&[pair[0]], &shape[..]].concat())),
        5 => {
            let keep = if pair[0] == 0 { Keep::Yes } else { Keep::No };
            one(Op::Sum(order[..axis].to_vec(), keep))
        }
        6 => {
            let mut other = shape.clone();
            other[axis] = pair[0];
            (Op::Cat(axis), vec![shape.clone(), other, shape])
        }
        7 => match pair[0] {
            0 => (Op::WhereCond, vec![shape.clone(), shape.clone(), shape]),
            1 => (Op::Maximum, vec![shape.clone(), shape]),
            _ => (Op::PowTensor, vec![shape.clone(), shape]),
        },
        8 | 9 => {
            let count = 1 + random.below(4);
            let places: Vec<usize> =
                (0..random.below(6)).map(|_| random.below(count)).collect();
            let mut shape = shape;
            match pair[0] {
                0 => {
                    shape[axis] = places.len();
                    (Op::IndexAdd(axis, places, count), vec![shape])
                }
                _ => {
                    shape[axis] = count;
                    (Op::IndexSelect(axis, places), vec![shape])
                }
            }
        }
        10 => {
            let (window, image) = window(random, pair);
            let places = window.positions(&image).unwrap();
            match random.below(2) {
                0 => {
                    let images = [&[pair[1]], &image[..]].concat();
                    (Op::Windows(Box::new(window)), vec![images])
                }
                _ => {
                    let size = window.size;
                    let windows = [&[pair[1]], &places[..], &size].concat();
                    (Op::Fold(Box::new(window), image), vec![windows])
                }
            }
        }
        11 => {
            let number = pair[0] as f32 - 0.75;
            one(match random.below(4 + UNARY.len()) {
                0 => Op::Scale(number),
                1 => Op::Shift(number),
                2 => Op::DivScalar(number),
                3 => Op::RdivScalar(number),
                i => Op::Unary(UNARY[i - 4].op),
            })
        }
        12 => (Op::Custom("mse"), vec![shape.clone(), shape]),
        13 => {
            let [outer, rows, columns, inner] = [(); 4].map(|()| {
                let axes = random.below(3);
                (0..axes).map(|_| random.below(4)).collect::<Vec<_>>()
            });
            let op = Op::Contract(outer.len(), inner.len());
            let of = |lines: Vec<usize>| [&outer[..], &lines, &inner].concat();
            (op, vec![of(rows), of(columns)])
        }
        14 => {
            let (window, image) = window(random, pair);
            let groups = 1 + random.below(2);
            let [n, channels, out] = [(); 3].map(|()| 1 + random.below(2));
            let images = [&[n, channels * groups], &image[..]].concat();
            let filters = [&[out * groups, channels], &window.size[..]];
            let op = Op::Conv2d(Box::new(window), groups);
            (op, vec![images, filters.concat()])
        }
        _ => {
            let [m, k, n] = [(); 3].map(|()| random.below(4));
            let (a, b) = ([&pair[..], &[m, k]], [&pair[..], &[k, n]]);
            (Op::Matmul, vec![a.concat(), b.concat()])
        }
    }
}

/// Draws a window and the size of an image that it fits.
fn window(random: &mut Random, pair: [usize; 2]) -> (Window, [usize; 2]) {
    let mut step = || [1 + random.below(2), 1 + random.below(3)];
    let window = Window::new(pair.map(|n| n + 1)).stride(step());
    let window = window.dilation(step());
    let image = window.extent().map(|n| n + random.below(3));
    let padding = [random.below(2), random.below(3)];
    (window.padding(padding), image)
}
