//! Second derivatives: a gradient rule is composed of tensor operations, so its
//! result can be differentiated too. The reference takes finite differences
//! twice, in `f64`.

use rungrad::gradcheck::dot;
use rungrad::opencl;
use rungrad::ops::{OPERATIONS, Op};
use rungrad::part3_unified::{Device, Tensor, Unary, grad};
use rungrad::reference::{self, Array};

use super::cases::{UNARY, call, judge, operand, operation};
use super::derived;
use testkit::cases::Case;
use testkit::clean;
use testkit::device::gpu_or_skip;
use testkit::engine::{Engine, Part3};
use testkit::random::{Random, cases, first_seed};

/// Most elements of a case: the reference computes two differences for each
/// pair of elements.
const MAX_ELEMENTS: usize = 12;

/// In `f64`, the error of a second difference is smallest near the fourth root
/// of the machine precision.
const NUDGE: f64 = 1e-4;

/// The magnitudes of the angles are distributed logarithmically from 1e-6 to
/// 1e6.
///
/// Promise: The sine and cosine of angles up to 1e6, and their derivatives,
/// err by at most 1e-6.
#[test]
fn sine_and_cosine_err_by_at_most_1e_6() {
    let _clean = clean();
    let count = cases(20_000);
    let mut random = Random(first_seed());
    let mut angle = || {
        let unit = (random.bits() >> 11) as f64 / (1_u64 << 53) as f64;
        let size = 10_f64.powf(12.0 * unit - 6.0) as f32;
        if random.bits() & 1 == 0 { size } else { -size }
    };
    let mut angles = vec![0.0, 1e6, -1e6, 1e4];
    angles.extend((0..count).map(|_| angle()));
    let near = |what: &str, found: &Tensor, right: fn(f64) -> f64| {
        for (angle, found) in angles.iter().zip(found.to_vec().unwrap()) {
            let right = right(f64::from(*angle));
            let error = (f64::from(found) - right).abs();
            assert!(error <= 1e-6, "{what} {angle}: {found}, not {right}");
        }
    };
    let mut devices = vec![Device::Cpu];
    if gpu_or_skip().is_some() {
        devices.extend((0..opencl::devices().unwrap().len()).map(Device::Gpu));
    }
    for device in devices {
        let x = Tensor::new(&[angles.len()], &angles, device).unwrap();
        let x = x.requires_grad();
        near("sine", &x.sin(), f64::sin);
        near("cosine", &x.cos(), f64::cos);
        let slope = |y: Tensor| grad(&[&y.sum()], &[&x], false).remove(0);
        near("the slope of the sine", &slope(x.sin()), f64::cos);
        near("the slope of the cosine", &slope(x.cos()), |x| -x.sin());
    }
}

/// The magnitudes are distributed logarithmically from 1e-6 to 10.
///
/// Promise: The error function errs by at most 1e-6.
#[test]
fn the_error_function_errs_by_at_most_1e_6() {
    let _clean = clean();
    let mut random = Random(first_seed());
    let mut number = || {
        let unit = (random.bits() >> 11) as f64 / (1_u64 << 53) as f64;
        let size = 10_f64.powf(7.0 * unit - 6.0) as f32;
        if random.bits() & 1 == 0 { size } else { -size }
    };
    let mut values = vec![0.0, -0.0, 0.5, 1.0, -1.0, 3.0, 4.0, 1e30];
    values.extend((0..cases(20_000)).map(|_| number()));
    let right = Array::new(&[values.len()], &values);
    let right =
        reference::forward(&Op::Unary(Unary::Erf), &[&right]).unwrap().values;
    // Values from tables.
    for (at, known) in [(2, 0.520499877813), (3, 0.842700792950)] {
        assert!((right[at] - known).abs() < 1e-12, "{}", right[at]);
    }
    let mut devices = vec![Device::Cpu];
    if gpu_or_skip().is_some() {
        devices.extend((0..opencl::devices().unwrap().len()).map(Device::Gpu));
    }
    for device in devices {
        let x = Tensor::new(&[values.len()], &values, device).unwrap();
        let found = x.erf().to_vec().unwrap();
        for ((x, found), right) in values.iter().zip(found).zip(&right) {
            let error = (f64::from(found) - right).abs();
            assert!(error <= 1e-6, "{device}: erf {x} is {found}, {right}");
        }
    }
}

/// Promise: The gradient rule of every operation can be differentiated again on
/// the CPU.
#[test]
fn every_rule_can_be_differentiated_again_on_the_cpu() {
    let _clean = clean();
    agree(Device::Cpu);
}

/// Promise: The gradient rule of every operation can be differentiated again on
/// an OpenCL device.
#[test]
fn every_rule_can_be_differentiated_again_on_an_opencl_device() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    agree(Device::Gpu(gpu.info().index));
}

/// Promise: The gradient rule of every operation can be differentiated again on
/// both plain devices.
#[test]
fn every_rule_can_be_differentiated_on_the_plain_devices() {
    let _clean = clean();
    agree(Device::PlainCpu);
    let Some(gpu) = gpu_or_skip() else { return };
    agree(Device::Plain(gpu.info().index));
}

/// An operation with its name.
type Named = (&'static str, fn(&[Tensor]) -> Tensor);

/// A rule computes and saves nothing for an operand that requires no gradient,
/// and the other gradients are the same without it.
#[test]
fn gradients_do_not_depend_on_which_operands_need_them() {
    let _clean = clean();
    let calls: [Named; 7] = [
        ("mul", |of| of[0].mul(&of[1])),
        ("add", |of| of[0].add(&of[1])),
        ("sub", |of| of[0].sub(&of[1])),
        ("div", |of| of[0].div(&of[1])),
        ("matmul", |of| of[0].matmul(&of[1])),
        ("contract", |of| of[0].contract(&of[1], 0, 1)),
        ("where_cond", |of| of[0].where_cond(&of[1], &of[2])),
    ];
    let values = [[1.0, 0.0, 2.0, 3.0], [4.0, 5.0, -6.0, 7.0], [8.0; 4]];
    for (name, call) in calls {
        let grads = |needs: &dyn Fn(usize) -> bool| {
            let of = [0, 1, 2].map(|place| {
                let plain = Tensor::new(&[2, 2], &values[place], Device::Cpu);
                match needs(place) {
                    true => plain.unwrap().requires_grad(),
                    false => plain.unwrap(),
                }
            });
            call(&of).sum().backward();
            of.map(|tensor| tensor.grad().map(|g| g.to_vec().unwrap()))
        };
        let all = grads(&|_| true);
        for alone in (0..3).filter(|&place| all[place].is_some()) {
            let mut right = [None, None, None];
            right[alone] = all[alone].clone();
            let got = grads(&|place| place == alone);
            assert_eq!(got, right, "{name}: operand {alone} alone");
        }
    }
}

/// The derivative with respect to the base is 0 until the exponent is greater
/// than 0.
#[test]
fn pow_with_exponent_0_has_a_mixed_second_derivative() {
    let _clean = clean();
    let new = |x| Tensor::new(&[1], &[x], Device::Cpu).unwrap();
    let base = new(2.0).requires_grad();
    let exponent = new(0.0).requires_grad();
    let power = base.pow_tensor(&exponent).sum();
    let first = grad(&[&power], &[&base], true).remove(0);
    assert_eq!(first.to_vec().unwrap(), [0.0]);
    // The derivative of b a^(b - 1) is a^(b - 1) (1 + b log a).
    let second = grad(&[&first.sum()], &[&exponent], false).remove(0);
    assert_eq!(second.to_vec().unwrap(), [0.5]);
}

fn agree(device: Device) {
    for name in OPERATIONS {
        let mut random = Random(7);
        let cases = std::iter::repeat_with(|| random.case(name));
        let size = |case: &Case| {
            case.operands.iter().map(|(_, values)| values.len()).sum()
        };
        let cases =
            cases.filter(|case| (1..=MAX_ELEMENTS).contains(&size(case)));
        for case in cases.take(4) {
            check_second_derivatives(&SecondDerivativeCase {
                what: format!("{} on {device}", case.what()),
                operands: &case.arrays(),
                constants: 0,
                device,
                call: &|of| {
                    let of: Vec<&Tensor> = of.iter().collect();
                    Part3(device).call(&case.call, &of).unwrap()
                },
                judge: &|of| case.call.judge(of),
            });
        }
    }
    let mut random = Random(8);
    let mut seen = Vec::new();
    for _ in 0..2000 {
        let (op, shapes) = operation(&mut random);
        let size = |shape: &Vec<usize>| shape.iter().product::<usize>();
        if !(1..=MAX_ELEMENTS).contains(&shapes.iter().map(size).sum()) {
            continue;
        }
        let mut array = |(place, shape): (usize, &Vec<usize>)| {
            Array::new(shape, &operand(&op, place, shape, &mut random))
        };
        let mut operands: Vec<Array> =
            shapes.iter().enumerate().map(&mut array).collect();
        let constants = usize::from(op == Op::WhereCond);
        if constants == 1 {
            // Alternates between the cases.
            operands[0].values.iter_mut().step_by(2).for_each(|m| *m = 0.0);
        }
        check_second_derivatives(&SecondDerivativeCase {
            what: format!("{op:?} of {shapes:?} on {device}"),
            operands: &operands,
            constants,
            device,
            call: &|of| call(&op, of),
            judge: &|of| judge(&op, of),
        });
        seen.push(op.name());
    }
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), 22 + UNARY.len(), "{seen:?}");
    for draw in derived::ALL {
        let cases = std::iter::repeat_with(|| draw(&mut random));
        let size = |shape: &Vec<usize>| shape.iter().product::<usize>();
        let cases = cases.filter(|case| {
            (1..=MAX_ELEMENTS).contains(&case.shapes.iter().map(size).sum())
        });
        for case in cases.take(4).collect::<Vec<_>>() {
            let array = |shape: &Vec<usize>| {
                let values = case.values(size(shape), &mut random);
                Array::new(shape, &values)
            };
            let operands: Vec<Array> = case.shapes.iter().map(array).collect();
            check_second_derivatives(&SecondDerivativeCase {
                what: format!("{} on {device}", case.what),
                operands: &operands,
                constants: 0,
                device,
                call: &case.call,
                judge: &case.judge,
            });
        }
    }
}

pub(super) struct SecondDerivativeCase<'a> {
    pub(super) what: String,
    pub(super) operands: &'a [Array],
    /// Number of leading operands without a derivative.
    pub(super) constants: usize,
    pub(super) device: Device,
    pub(super) call: &'a dyn Fn(&[Tensor]) -> Tensor,
    pub(super) judge: &'a dyn Fn(&[Array]) -> Array,
}

/// The loss is the sum of the squares of the result with different weights, so
/// that the rule is differentiated with respect to its operands and to the
/// upstream gradient.
pub(super) fn check_second_derivatives(case: &SecondDerivativeCase) {
    let (what, operands) = (&case.what, case.operands);
    let mut random = Random(9);
    let mut weights =
        |of: &Array| Array::new(&of.shape, &random.values(of.values.len()));
    let loss_weights = weights(&(case.judge)(operands));
    let above: Vec<Array> = operands.iter().map(&mut weights).collect();
    let places = case.constants..operands.len();

    let loss = |of: &[Array]| {
        let out = (case.judge)(of);
        dot(&reference::mul(&out, &out), &loss_weights)
    };
    let firsts = |of: &[Array]| -> f64 {
        let first = |i: usize| dot(&slope(of, i, loss), &above[i]);
        places.clone().map(first).sum()
    };

    let tensor = |of: &Array| {
        let values: Vec<f32> = of.values.iter().map(|&x| x as f32).collect();
        Tensor::new(&of.shape, &values, case.device).unwrap()
    };
    let mut of: Vec<Tensor> = operands.iter().map(tensor).collect();
    for place in places.clone() {
        of[place] = of[place].clone().requires_grad();
    }
    let leaves: Vec<&Tensor> = of[places.clone()].iter().collect();
    let out = (case.call)(&of);
    let loss = out.mul(&out).mul(&tensor(&loss_weights)).sum();
    let first = grad(&[&loss], &leaves, true);
    // Every leaf takes part, if only with a derivative of 0.
    let parts = places.clone().zip(&first).map(|(i, first)| {
        first.mul(&tensor(&above[i])).sum() + of[i].scale(0.0).sum()
    });
    let total = parts.reduce(|a, b| a + b).expect("an operand");
    let second = grad(&[&total], &leaves, false);

    for (i, yours) in places.clone().zip(second) {
        let right = slope(operands, i, firsts);
        assert_eq!(yours.shape(), right.shape, "{what}");
        let largest = right.values.iter().fold(1.0, |m: f64, r| m.max(r.abs()));
        let yours = yours.to_vec().unwrap();
        for (yours, right) in yours.iter().zip(&right.values) {
            let error = (f64::from(*yours) - right).abs();
            assert!(
                error <= 1e-3 * largest,
                "{what}: the second slope of operand {i} is {yours}, not \
                 {right}"
            );
        }
    }
}

pub(super) fn slope(
    of: &[Array],
    which: usize,
    f: impl Fn(&[Array]) -> f64,
) -> Array {
    let mut of = of.to_vec();
    let mut slope = of[which].clone();
    for i in 0..slope.values.len() {
        let x = of[which].values[i];
        let mut at = |x: f64| {
            of[which].values[i] = x;
            f(&of)
        };
        let difference = at(x + NUDGE) - at(x - NUDGE);
        slope.values[i] = difference / (2.0 * NUDGE);
        at(x);
    }
    slope
}
