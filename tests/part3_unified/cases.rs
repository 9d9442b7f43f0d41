//! Ten thousand seeded cases on each device, against the judge in `f64`: every
//! operation, on operands of every layout, with sizes of 0 and 1.
//!
//! The bounds: what only moves or compares is exact. What rounds may err by
//! one rounding, 2^-24 of a magnitude, for each operation that an element has
//! gone through; see `Call::allowed`.

use rungrad::ops::{Keep, OPERATIONS, Op};
use rungrad::part3_unified::{Device, Tensor, Window, no_grad, trace};
use rungrad::reference::{self, Array};

use super::common::calls::Call;
use super::common::cases::Case;
use super::common::device::gpu_or_skip;
use super::common::engine::{Engine, Part3};
use super::common::random::Random;
use super::common::verdict::blameless;
use super::disguise::disguise;

/// A case in seven is checked with its gradients as well.
const CASES: u64 = 10_000;

#[test]
fn ten_thousand_cases_on_the_processor() {
    agree(Device::Cpu);
}

#[test]
fn ten_thousand_cases_on_an_opencl_device() {
    let Some(gpu) = gpu_or_skip() else { return };
    agree(Device::Gpu(gpu.info().index));
}

fn agree(device: Device) {
    for seed in 0..CASES {
        let mut random = Random(seed);
        let name = random.below(OPERATIONS.len() + 3);
        trace(|| match OPERATIONS.get(name) {
            Some(name) => known(&mut random, name, device, seed),
            None => own(&mut random, device, seed),
        });
    }
}

/// An operation of every part, on disguised operands.
fn known(random: &mut Random, name: &str, device: Device, seed: u64) {
    let mut case: Case = random.case(name);
    let tensors: Vec<Tensor> = (case.operands.iter_mut())
        .map(|(shape, values)| disguise(random, shape, values, device).0)
        .collect();
    let operands: Vec<&Tensor> = tensors.iter().collect();
    let out = Part3(device).call(&case.call, &operands).unwrap();
    let right = case.call.judge(&case.arrays());
    let allowed = case.call.allowed(&case.arrays());
    let what = format!("seed {seed} on {device}: {}", case.what());
    near(&out, &right, &allowed, &what);
    // Where elements are repeated, the largest ties, and has no slope.
    if seed.is_multiple_of(7) && !matches!(case.call, Call::Max(..)) {
        let mut again = Random(seed ^ 1 << 40);
        gradients(&mut again, device, &what, |random| {
            let operands: Vec<Tensor> = (case.operands.iter())
                .map(|(s, v)| disguise(random, s, &mut v.clone(), device).0)
                .collect();
            let operands: Vec<&Tensor> = operands.iter().collect();
            Part3(device).call(&case.call, &operands).unwrap()
        });
    }
}

/// Every rule on the tape of the loss is right.
fn gradients(
    random: &mut Random,
    device: Device,
    what: &str,
    build: impl FnOnce(&mut Random) -> Tensor,
) {
    let out = build(random);
    let weights = random.values(out.array().len());
    let weights = Tensor::new(out.shape(), &weights, device).unwrap();
    let tape = out.mul(&weights).sum().backward_recorded();
    blameless(&tape, what);
}

#[track_caller]
fn near(out: &Tensor, right: &Array, allowed: &Array, what: &str) {
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

/// What Part 3 alone has: an operation with its operands, as it is called
/// and as the judge sees it.
fn own(random: &mut Random, device: Device, seed: u64) {
    let (op, shapes) = operation(random);
    let mut arrays = Vec::new();
    let mut tensors = Vec::new();
    for shape in &shapes {
        let mut values = random.values(shape.iter().product());
        tensors.push(disguise(random, shape, &mut values, device).0);
        arrays.push(Array::new(shape, &values));
    }
    // A mask of zeros and ones, and one that is neither.
    if op == Op::Where {
        let mask = tensors[0].less(&tensors[1]).scale(-2.0);
        let values = mask.to_vec().unwrap();
        arrays[0] = Array::new(&shapes[0], &values);
        tensors[0] = mask;
    }
    let what = format!("seed {seed} on {device}: {op:?} of {shapes:?}");
    let out = call(&op, &tensors);
    let borrowed: Vec<&Array> = arrays.iter().collect();
    let right = reference::forward(&op, &borrowed).expect("it is judged");
    // One rounding for each product and each sum, of numbers up to 2; OpenCL
    // allows a sine 4 units in the last place.
    let roundings = match op {
        Op::Sum(..) | Op::Matmul | Op::Scatter(..) | Op::Fold(..) => 256.0,
        Op::Scale(_) | Op::Shift(_) | Op::Sin => 8.0,
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

fn call(op: &Op, of: &[Tensor]) -> Tensor {
    let a = &of[0];
    match op {
        Op::Slice(ranges) => a.slice(ranges),
        Op::Pad(widths) => a.pad(widths),
        Op::Flip(axes) => a.flip(axes),
        Op::Cat(axis) => Tensor::cat(&of.iter().collect::<Vec<_>>(), *axis),
        Op::Where => a.choose(&of[1], &of[2]),
        Op::Gather(places) => a.gather(places),
        Op::Scatter(places, rows) => a.scatter(places, *rows),
        Op::Windows(size, step) => {
            a.windows(&Window { size: *size, step: *step })
        }
        Op::Fold(size, step, image) => {
            a.fold(&Window { size: *size, step: *step }, *image)
        }
        Op::Expand(shape) => a.expand(shape),
        Op::Permute(axes) => a.permute(axes),
        Op::Scale(number) => a.scale(*number),
        Op::Shift(number) => a.shift(*number),
        Op::Sin => a.sin(),
        Op::Sum(axes, keep) => a.sum_over(axes, *keep),
        Op::Matmul => a.matmul(&of[1]),
        other => panic!("{other:?} is called nowhere"),
    }
}

/// One of Part 3's operations, and the shapes of its operands.
fn operation(random: &mut Random) -> (Op, Vec<Vec<usize>>) {
    let rank = 1 + random.below(3);
    let shape: Vec<usize> = (0..rank).map(|_| random.below(5)).collect();
    let one = |op: Op| (op, vec![shape.clone()]);
    let mut part = |n: usize| {
        let from = random.below(n + 1);
        from..from + random.below(n - from + 1)
    };
    let ranges: Vec<_> = shape.iter().map(|&n| part(n)).collect();
    let pair = [random.below(3), random.below(3)];
    let mut order: Vec<usize> = (0..rank).collect();
    random.shuffle(&mut order);
    let axis = random.below(rank);
    match random.below(13) {
        0 => one(Op::Slice(ranges)),
        1 => one(Op::Pad(vec![pair; rank])),
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
        7 => (Op::Where, vec![shape.clone(), shape.clone(), shape]),
        8 | 9 => {
            let (rows, width) = (1 + random.below(4), random.below(4));
            let places: Vec<usize> =
                (0..random.below(6)).map(|_| random.below(rows)).collect();
            match pair[0] {
                0 => {
                    let given = vec![places.len(), width];
                    (Op::Scatter(places, rows), vec![given])
                }
                _ => (Op::Gather(places), vec![vec![rows, width]]),
            }
        }
        10 => {
            let size = pair.map(|n| n + 1);
            let step = [1 + random.below(2), 1 + random.below(3)];
            let image = size.map(|n| n + random.below(4));
            let window = Window { size, step };
            let places = window.places(&image).unwrap();
            match random.below(2) {
                0 => {
                    let images = [&[pair[1]], &image[..]].concat();
                    (Op::Windows(size, step), vec![images])
                }
                _ => {
                    let windows = [&[pair[1]], &places[..], &size].concat();
                    (Op::Fold(size, step, image), vec![windows])
                }
            }
        }
        11 => one(match pair[0] {
            0 => Op::Scale(pair[1] as f32 - 0.75),
            1 => Op::Shift(pair[1] as f32 - 0.75),
            _ => Op::Sin,
        }),
        _ => {
            let [m, k, n] = [(); 3].map(|()| random.below(4));
            let (a, b) = ([&pair[..], &[m, k]], [&pair[..], &[k, n]]);
            (Op::Matmul, vec![a.concat(), b.concat()])
        }
    }
}
