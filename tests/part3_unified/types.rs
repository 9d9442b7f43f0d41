//! Other element types: every operation in `f64` and `f16`, its gradients,
//! rejected combinations, and files of each type.

mod rejected;

use rungrad::gradcheck::dot;
use rungrad::io;
use rungrad::nn::{Linear, Module, Parameters};
use rungrad::ops::{OPERATIONS, Op};
use rungrad::optim::{Adam, Optimizer, Sgd};
use rungrad::part3_unified::{
    DType, Device, Element, F16, Tensor, grad, no_grad,
};
use rungrad::reference::Array;
use rungrad::rng;
use rungrad::{Error, attempt};

use super::cases::{call, judge, operand, operation};
use super::layouts::{DeviceAndType, random_layout_as, tensor};
use super::{derived, third};
use testkit::clean;
use testkit::device::gpu_or_skip;
use testkit::engine::{Engine, Part3};
use testkit::random::{Random, cases, first_seed};
use testkit::refusal::mistake;

fn gpu() -> Option<Device> {
    gpu_or_skip().map(|gpu| Device::Gpu(gpu.info().index))
}

/// Returns the CPU, an OpenCL device if there is one, and the lazy variant of
/// each.
fn devices() -> Vec<Device> {
    let mut all = vec![Device::Cpu, Device::FusedCpu];
    all.extend(gpu());
    all.extend(lazy());
    all
}

fn lazy() -> Option<Device> {
    gpu_or_skip().map(|gpu| Device::Fused(gpu.info().index))
}

/// Returns the seeds for a device: fewer if a driver compiles each kernel for
/// each type or generates kernels. `RUNGRAD_CASES` runs more.
fn seeds(device: Device, n: u64) -> std::ops::Range<u64> {
    let n = match device {
        Device::Gpu(_) => n / 25,
        Device::Fused(_) => n / 50,
        _ => n,
    };
    first_seed()..first_seed() + cases(n)
}

const OTHERS: [DType; 2] = [DType::F64, DType::F16];

/// An operation with its operands, for the engine and for the reference.
struct TypedCase<'a> {
    what: String,
    /// The shape and the elements of each operand.
    operands: Vec<(Vec<usize>, Vec<f32>)>,
    /// Number of leading operands without a derivative.
    constants: usize,
    call: &'a dyn Fn(&[Tensor]) -> Tensor,
    judge: &'a dyn Fn(&[Array]) -> Array,
}

/// Draws a random operation of Part 3.
fn draw(random: &mut Random, work: &mut dyn FnMut(&mut Random, TypedCase)) {
    let known = OPERATIONS.get(random.below(2 * OPERATIONS.len()));
    if let Some(name) = known {
        let case = random.case(name);
        return work(
            random,
            TypedCase {
                what: case.what(),
                operands: case.operands,
                constants: 0,
                call: &|of| {
                    let device = of[0].device();
                    let of: Vec<&Tensor> = of.iter().collect();
                    Part3(device).call(&case.call, &of).unwrap()
                },
                judge: &|of| case.call.judge(of),
            },
        );
    }
    if random.below(2) == 0 {
        let one = derived::ALL[random.below(derived::ALL.len())](random);
        let shapes = one.shapes.iter();
        let operands = shapes.map(|shape| {
            let n = shape.iter().product();
            (shape.clone(), one.values(n, random))
        });
        let (what, operands) = (one.what.clone(), operands.collect());
        let (call, judge) = (&one.call, &one.judge);
        return work(
            random,
            TypedCase { what, operands, constants: 0, call, judge },
        );
    }
    let (op, shapes) = operation(random);
    let mut operands: Vec<_> = (shapes.iter().enumerate())
        .map(|(at, shape)| (shape.clone(), operand(&op, at, shape, random)))
        .collect();
    let constants = usize::from(op == Op::WhereCond);
    if constants == 1 {
        operands[0].1.iter_mut().step_by(2).for_each(|m| *m = 0.0);
    }
    work(
        random,
        TypedCase {
            what: format!("{op:?} of {shapes:?}"),
            operands,
            constants,
            call: &|of| call(&op, of),
            judge: &|of| judge(&op, of),
        },
    );
}

fn agree(device: Device) {
    for seed in seeds(device, 500) {
        for dtype in OTHERS {
            draw(&mut Random(seed), &mut |random, computed| {
                values_agree(random, computed, seed, (device, dtype));
            });
        }
    }
}

/// Promise: On the CPU, every operation agrees with the f64 reference to 13
/// digits in `f64` and to rounding in `f16`.
#[test]
fn f64_and_f16_operations_are_right_on_the_cpu() {
    let _clean = clean();
    agree(Device::Cpu);
    agree(Device::FusedCpu);
}

/// Promise: On an OpenCL device, every operation agrees with the f64 reference
/// to 13 digits in `f64` and to rounding in `f16`.
#[test]
fn f64_and_f16_operations_are_right_on_opencl() {
    let _clean = clean();
    [gpu(), lazy()].into_iter().flatten().for_each(agree);
}

/// The allowed error relative to the largest element: several roundings in
/// `f64`, and in `f16`, where each intermediate result is rounded, a few.
fn allowed(dtype: DType) -> f64 {
    match dtype {
        DType::F64 => 4e-13,
        DType::F32 => 4e-5,
        DType::F16 => 0.03,
    }
}

fn values_agree(
    random: &mut Random,
    computed: TypedCase,
    seed: u64,
    place: DeviceAndType,
) {
    let what = format!("seed {seed} on {place:?}: {}", computed.what);
    let (mut tensors, mut arrays) = (Vec::new(), Vec::new());
    for (shape, mut values) in computed.operands {
        if place.1 == DType::F16 {
            let round = |x: &mut f32| *x = F16::round(*x).into();
            values.iter_mut().for_each(round);
        }
        tensors.push(random_layout_as(random, &shape, &mut values, place).0);
        arrays.push(Array::new(&shape, &values));
    }
    let out = no_grad(|| (computed.call)(&tensors));
    assert_eq!((out.dtype(), out.device()), (place.1, place.0), "{what}");
    near(&out, &(computed.judge)(&arrays), allowed(place.1), &what);
}

#[track_caller]
fn near(yours: &Tensor, right: &Array, allowed: f64, what: &str) {
    assert_eq!(yours.shape(), right.shape, "{what}");
    let finite = right.values.iter().filter(|x| x.is_finite());
    let largest = finite.fold(1.0, |most: f64, x| most.max(x.abs()));
    let yours: Vec<f64> = yours.to_vec_of().unwrap();
    for (yours, right) in yours.iter().zip(&right.values) {
        let error = (yours - right).abs();
        let alike = yours == right || yours.is_nan() && right.is_nan();
        assert!(
            alike || error <= allowed * largest,
            "{what}: {yours}, not {right}"
        );
    }
}

/// In `f64`, the finite difference that a gradient is compared with has an
/// error far below the rounding of `f32`.
///
/// Promise: Gradients in `f64` agree with finite differences to 8 digits.
#[test]
fn f64_gradients_agree_with_differences_to_8_digits() {
    let _clean = clean();
    for device in devices() {
        for seed in seeds(device, 150) {
            draw(&mut Random(seed), &mut |random, computed| {
                gradients_agree(random, &computed, seed, (device, DType::F64));
            });
        }
    }
}

/// Each gradient has the type of its operand, and is the `f32` gradient up to
/// rounding.
///
/// Promise: Gradients in `f16` are the rounded gradients of `f32`.
#[test]
fn f16_gradients_are_rounded_f32_gradients() {
    let _clean = clean();
    for device in devices() {
        for seed in seeds(device, 150) {
            draw(&mut Random(seed), &mut |random, computed| {
                gradients_agree(random, &computed, seed, (device, DType::F16));
            });
        }
    }
}

fn gradients_agree(
    random: &mut Random,
    computed: &TypedCase,
    seed: u64,
    place: DeviceAndType,
) {
    const MAX_ELEMENTS: usize = 24;
    let size: usize = computed.operands.iter().map(|(_, x)| x.len()).sum();
    if !(1..=MAX_ELEMENTS).contains(&size) {
        return;
    }
    let what = format!("seed {seed} on {place:?}: {}", computed.what);
    let operands = computed.operands.iter();
    let arrays: Vec<Array> =
        operands.map(|(shape, values)| Array::new(shape, values)).collect();
    let right = (computed.judge)(&arrays);
    let weights = random.values(right.values.len());
    let upon = Array::new(&right.shape, &weights);
    let slopes = |dtype| {
        let operands = computed.operands.iter().enumerate();
        let tensors = operands.map(|(at, (shape, values))| {
            let tensor = tensor(shape, values, (place.0, dtype));
            match at < computed.constants {
                true => tensor,
                false => tensor.requires_grad(),
            }
        });
        let of: Vec<Tensor> = tensors.collect();
        let out = (computed.call)(&of);
        let upon = tensor(&upon.shape, &weights, (place.0, dtype));
        // Every leaf takes part, if only with a derivative of 0.
        let leaves: Vec<&Tensor> = of[computed.constants..].iter().collect();
        let parts = leaves.iter().map(|leaf| leaf.scale(0.0).sum());
        let loss = parts.fold(out.mul(&upon).sum(), |a, b| a + b);
        grad(&[&loss], &leaves, false)
    };
    let found = slopes(place.1);
    for (i, yours) in (computed.constants..).zip(&found) {
        assert_eq!(yours.dtype(), place.1, "{what}");
        let right = match place.1 {
            DType::F64 => {
                difference(&arrays, i, |of| dot(&(computed.judge)(of), &upon))
            }
            _ => {
                let like = &slopes(DType::F32)[i - computed.constants];
                Array::new(like.shape(), &like.to_vec().unwrap())
            }
        };
        let allowed = match place.1 {
            DType::F64 => 1e-8,
            _ => 0.1,
        };
        near(yours, &right, allowed, &what);
    }
}

/// Returns the finite difference of four values, whose error is proportional
/// to the fourth power of the step.
fn difference(
    of: &[Array],
    which: usize,
    f: impl Fn(&[Array]) -> f64,
) -> Array {
    const STEP: f64 = 1e-3;
    let mut of = of.to_vec();
    let mut slope = of[which].clone();
    for i in 0..slope.values.len() {
        let x = of[which].values[i];
        let mut at = |x: f64| {
            of[which].values[i] = x;
            f(&of)
        };
        let near = at(x + STEP) - at(x - STEP);
        let far = at(x + 2.0 * STEP) - at(x - 2.0 * STEP);
        slope.values[i] = (8.0 * near - far) / (12.0 * STEP);
        at(x);
    }
    slope
}

/// Converts every `f16`, and values between them, from every type to every
/// other type.
///
/// Promise: Every device rounds in the same way.
#[test]
fn every_device_rounds_the_same_way() {
    let _clean = clean();
    let halves = (0..=u16::MAX).map(|bits| f64::from(F16::from_bits(bits)));
    let halves: Vec<f64> = halves.filter(|x| !x.is_nan()).collect();
    let mut values = halves.clone();
    values.extend(halves.windows(2).map(|two| f64::midpoint(two[0], two[1])));
    values.retain(|x| x.is_finite());
    let near = values.clone();
    values.extend(near.iter().map(|x| x.next_up()));
    values.extend(near.iter().map(|x| x.next_down()));
    values.extend([1e5, -1e9, 1e300, f64::INFINITY, 0.1, 1.0 / 3.0]);
    for device in devices() {
        let all = Tensor::of(&[values.len()], &values, device).unwrap();
        let halves: Vec<F16> = read(&all, DType::F16);
        let singles: Vec<f32> = read(&all, DType::F32);
        for ((x, half), single) in values.iter().zip(&halves).zip(&singles) {
            assert_eq!(half, &F16::round_f64(*x), "{x} on {device}");
            assert_eq!(*single, *x as f32, "{x} on {device}");
        }
        let all = Tensor::new(&[singles.len()], &singles, device).unwrap();
        let halves: Vec<F16> = read(&all, DType::F16);
        for (x, half) in singles.iter().zip(&halves) {
            assert_eq!(half, &F16::round(*x), "{x} on {device}");
        }
        let all = Tensor::of(&[halves.len()], &halves, device).unwrap();
        let wide: Vec<f64> = read(&all, DType::F64);
        for (half, wide) in halves.iter().zip(wide) {
            assert_eq!(f64::from(*half), wide, "on {device}");
        }
    }
}

/// Returns the elements of a tensor in a different type, converted on its
/// device.
fn read<T: Element>(all: &Tensor, dtype: DType) -> Vec<T> {
    all.to_dtype(dtype).unwrap().to_vec_of().unwrap()
}

#[test]
fn to_dtype_keeps_the_view_and_passes_the_gradient() {
    let _clean = clean();
    for device in devices() {
        let x = Tensor::new(&[3], &[1.0, 2.0, 0.1], device).unwrap();
        let x = x.requires_grad();
        let wide = x.expand(&[1000, 3]).to_dtype(DType::F64).unwrap();
        assert_eq!(wide.array().strides(), [0, 1]);
        assert_eq!(wide.array().storage().len(), 3);
        let part = x.slice(&[1..3]).to_dtype(DType::F16).unwrap();
        assert_eq!(part.array().storage().len(), 2);
        let none = x.slice(&[1..1]).to_dtype(DType::F16).unwrap();
        assert_eq!((none.shape(), none.dtype()), (&[0][..], DType::F16));
        let same = x.to_dtype(DType::F32).unwrap();
        assert_eq!(same.id(), x.id(), "nothing to do");
        let loss = (&part * &part).sum();
        loss.backward();
        let grad = x.grad().unwrap();
        assert_eq!(grad.dtype(), DType::F32);
        let tenth = f32::from(F16::round(0.1));
        assert_eq!(grad.to_vec().unwrap(), [0.0, 4.0, 2.0 * tenth]);
        wide.sum().backward();
        assert_eq!(x.grad().unwrap().to_vec().unwrap()[0], 1000.0);
    }
}
