//! Runs the shared specification on Part 3's devices and tests what only Part
//! 3 has.

mod arrays;
#[cfg(feature = "engine")]
mod attention;
mod basics;
mod cases;
mod checkpoints;
mod constants;
mod damaged_files;
mod derived;
mod devices;
mod drawings;
#[cfg(feature = "engine")]
mod extreme_values;
mod files;
mod filters;
#[cfg(feature = "engine")]
mod graphs;
mod hooks;
mod images;
mod indexing;
mod interrupted_runs;
mod invalid_settings;
#[cfg(feature = "engine")]
mod launches;
mod layouts;
#[cfg(feature = "engine")]
mod lazy_devices;
mod library_operations;
mod limits;
#[cfg(feature = "engine")]
mod matmul;
mod max_gradients;
mod mismatched_operands;
mod model_parts;
mod modules;
mod networks;
mod optimizers;
mod pytorch_weights;
mod rejected_calls;
mod replaced_files;
mod reproducibility;
#[cfg(feature = "engine")]
mod resources;
mod saved_models;
#[cfg(feature = "engine")]
mod schedules;
mod second_derivatives;
#[cfg(feature = "engine")]
mod softmax_rows;
mod special_values;
#[cfg(feature = "engine")]
mod step_costs;
#[cfg(feature = "engine")]
mod tensor_cores;
mod third;
mod threads;
mod tied_parameters;
mod training;
mod transformer;
#[cfg(feature = "engine")]
mod types;

use std::thread;

use rungrad::part3_unified::{
    Array, Context, Device, Function, Gradients, Op, Tensor, apply, grad,
    no_grad,
};
use rungrad::{Error, Result, attempt, ledger};
use testkit::clean;
use testkit::device::gpu_or_skip;
use testkit::engine::{Engine, Part3};
use testkit::refusal::mistake;
use testkit::refusals::{HUGE, too_large_shape};

mod on_the_cpu {
    use super::*;

    fn open() -> Option<Part3> {
        Some(Part3(Device::Cpu))
    }

    testkit::specification!(open);
    testkit::operations!(open);
    testkit::edges!(open);
    testkit::refusals!(open);
    testkit::operators!(open, f64::from);
    testkit::networks!(open);
}

mod on_an_opencl_device {
    use super::*;

    fn open() -> Option<Part3> {
        gpu_or_skip().map(|gpu| Part3(Device::Gpu(gpu.info().index)))
    }

    testkit::specification!(open);
    testkit::operations!(open);
    testkit::edges!(open);
    testkit::refusals!(open);
    testkit::operators!(open, f64::from);
    testkit::networks!(open);
}

mod on_the_plain_processor {
    use super::*;

    fn open() -> Option<Part3> {
        Some(Part3(Device::PlainCpu))
    }

    testkit::specification!(open);
    testkit::operations!(open);
    testkit::edges!(open);
    testkit::refusals!(open);
    testkit::operators!(open, f64::from);
    testkit::networks!(open);
}

mod on_a_plain_opencl_device {
    use super::*;

    fn open() -> Option<Part3> {
        gpu_or_skip().map(|gpu| Part3(Device::Plain(gpu.info().index)))
    }

    testkit::specification!(open);
    testkit::operations!(open);
    testkit::edges!(open);
    testkit::refusals!(open);
    testkit::operators!(open, f64::from);
    testkit::networks!(open);
}

mod on_a_registered_backend {
    use super::*;

    fn open() -> Option<Part3> {
        Some(Part3(third::device()))
    }

    testkit::specification!(open);
}

/// Returns every device that computes eagerly, and a registered one.
fn devices() -> Vec<Device> {
    let gpus = gpu_or_skip().map_or(0, |_| Device::count());
    let gpus = (0..gpus).flat_map(|i| [Device::Gpu(i), Device::Plain(i)]);
    [Device::Cpu, third::device()].into_iter().chain(gpus).collect()
}

fn leaf(values: &[f32]) -> Tensor {
    constant(values).requires_grad()
}

fn constant(values: &[f32]) -> Tensor {
    Tensor::new(&[values.len()], values, Device::Cpu).unwrap()
}

#[test]
fn exp_is_its_own_first_and_second_derivative() {
    let _clean = clean();
    let x = leaf(&[0.5, -1.0]);
    let first = grad(&[&x.exp().sum()], &[&x], true).remove(0);
    let second = grad(&[&first.sum()], &[&x], true).remove(0);
    let third = grad(&[&second.sum()], &[&x], false).remove(0);
    let right = [0.5f32.exp(), (-1.0f32).exp()];
    for slope in [&first, &second, &third] {
        assert_eq!(slope.to_vec().unwrap(), right);
    }
    assert!(second.id().is_some(), "create_graph records the gradient");
    assert!(third.id().is_none(), "without it there is none");
}

/// Promise: A gradient of Part 3 can be differentiated again.
#[test]
fn the_second_derivative_of_a_cube_is_right() {
    let _clean = clean();
    let x = leaf(&[2.0, -3.0]);
    let cube = x.mul(&x).mul(&x).sum();
    let first = grad(&[&cube], &[&x], true).remove(0);
    assert_eq!(first.to_vec().unwrap(), [12.0, 27.0]);
    let second = grad(&[&first.sum()], &[&x], false).remove(0);
    assert_eq!(second.to_vec().unwrap(), [12.0, -18.0]);
}

#[test]
fn expand_and_sum_are_each_others_gradient() {
    let _clean = clean();
    let row = leaf(&[1.0, 2.0]);
    let weights = Tensor::new(&[3, 2], &[1., 2., 3., 4., 5., 6.], Device::Cpu);
    let loss = row.expand(&[3, 2]).mul(&weights.unwrap()).sum();
    loss.backward();
    assert_eq!(row.grad().unwrap().to_vec().unwrap(), [9.0, 12.0]);
    let columns = row.expand(&[3, 2]).sum_to(&[3, 1]);
    assert_eq!(columns.to_vec().unwrap(), [3.0, 3.0, 3.0]);
}

#[test]
fn grad_changes_no_leaf() {
    let _clean = clean();
    let x = leaf(&[2.0]);
    grad(&[&x.mul(&x)], &[&x], false);
    assert!(x.grad().is_none());
}

#[test]
fn grad_accepts_an_intermediate_tensor() {
    let _clean = clean();
    let x = leaf(&[2.0]);
    let y = x.mul(&x);
    let slope = grad(&[&y.mul(&y)], &[&y], false).remove(0);
    assert_eq!(slope.to_vec().unwrap(), [8.0]);
}

/// An output may depend on another, be listed twice, or be an input.
///
/// Promise: The gradient of several outputs is the gradient of their sum.
#[test]
fn the_gradient_of_outputs_is_that_of_their_sum() {
    let _clean = clean();
    let x = leaf(&[2.0]);
    let square = x.mul(&x);
    let cube = square.mul(&x);
    let slopes = |outputs: &[&Tensor], inputs: &[&Tensor]| {
        let slopes = grad(outputs, inputs, false);
        slopes.iter().map(|s| s.to_vec().unwrap()[0]).collect::<Vec<_>>()
    };
    for outputs in [[&square, &cube], [&cube, &square]] {
        assert_eq!(slopes(&outputs, &[&x, &square]), [16.0, 3.0]);
        let first = grad(&outputs, &[&x], true).remove(0);
        assert_eq!(slopes(&[&first], &[&x]), [14.0]);
        assert_eq!(no_grad(|| slopes(&outputs, &[&x])), [16.0]);
    }
    assert_eq!(slopes(&[&square, &square], &[&x]), [8.0]);
    assert_eq!(slopes(&[&x, &square], &[&x]), [5.0]);
    let apart = leaf(&[3.0]);
    let outputs = [&square, &apart.exp().log()];
    assert_eq!(slopes(&outputs, &[&apart, &x]), [1.0, 4.0]);
    assert!(slopes(&[], &[]).is_empty());
}

/// Promise: The gradient of several outputs takes one backward pass.
#[test]
fn several_outputs_take_one_backward_pass() {
    let _clean = clean();
    let counts = std::sync::Arc::default();
    let (x, c) = (leaf(&[2.0]), constant(&[5.0]));
    let shared = apply(Counted(std::sync::Arc::clone(&counts)), &[&x, &c]);
    let outputs = [&shared.scale(2.0), &shared, &shared.scale(3.0)];
    let slope = grad(&outputs, &[&x], false).remove(0);
    assert_eq!(slope.to_vec().unwrap(), [30.0]);
    assert_eq!(*counts.lock().unwrap(), [1, 0]);
}

/// Promise: A graph of gradients is freed when its last handle is dropped.
#[test]
fn graphs_of_gradients_are_freed() {
    let _clean = clean();
    let ((), counts) = ledger::measure(|| {
        let x = leaf(&[0.5]);
        let y = x.exp().mul(&x);
        let first = grad(&[&y], &[&x], true).remove(0);
        let second = grad(&[&first], &[&x], true).remove(0);
        drop((second, first));
        y.backward();
    });
    assert!(counts.nodes > 5);
    assert_eq!(counts.live_nodes(), 0);
}

#[test]
fn a_million_links_fit_a_stack_of_2_mb() {
    let _clean = clean();
    let small = thread::Builder::new().stack_size(2 << 20);
    let work = small.spawn(|| {
        let ((), counts) = ledger::measure(|| {
            let (x, one) = (leaf(&[1.0]), leaf(&[1.0]));
            let mut y = x.clone();
            for _ in 0..1_000_000 {
                y = y.mul(&one);
            }
            y.backward();
            assert_eq!(x.grad().unwrap().to_vec().unwrap(), [1.0]);
            assert_eq!(one.grad().unwrap().to_vec().unwrap(), [1e6]);
        });
        assert_eq!(counts.nodes, 1_000_002);
        assert_eq!(counts.live_nodes(), 0);
    });
    work.unwrap().join().unwrap();
}

/// Promise: Part 3 records a graph if any input requires a gradient.
#[test]
fn any_input_can_make_the_result_record() {
    let _clean = clean();
    let (x, c) = (leaf(&[2.0]), constant(&[5.0]));
    assert!(c.mul(&c).id().is_none());
    for y in [x.mul(&c), c.mul(&x)] {
        y.backward();
        assert_eq!(x.grad().unwrap().to_vec().unwrap(), [5.0]);
        x.zero_grad();
    }
    assert!(c.grad().is_none());
}

/// `a * b` that counts how often each gradient is computed.
struct Counted(std::sync::Arc<std::sync::Mutex<[u32; 2]>>);

impl Function for Counted {
    fn op(&self) -> Op {
        Op::named("mul")
    }

    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array> {
        ctx.save_input(0, inputs[0]);
        ctx.save_input(1, inputs[1]);
        inputs[0].binary(rungrad::part3_unified::Binary::Mul, inputs[1])
    }

    fn backward(&self, ctx: &Context, out: &Tensor) -> Gradients {
        let one = |i: usize| {
            self.0.lock().unwrap()[i] += 1;
            out.mul(&ctx.input(1 - i))
        };
        vec![ctx.needs(0).then(|| one(0)), ctx.needs(1).then(|| one(1))]
    }
}

/// Promise: Part 3 computes and saves nothing for an operand that requires no
/// gradient.
#[test]
fn no_gradient_is_computed_for_constant_operands() {
    let _clean = clean();
    let counts = std::sync::Arc::default();
    let (x, c) = (leaf(&[2.0]), constant(&[5.0]));
    apply(Counted(std::sync::Arc::clone(&counts)), &[&x, &c]).backward();
    assert_eq!(*counts.lock().unwrap(), [1, 0]);
    assert_eq!(x.grad().unwrap().to_vec().unwrap(), [5.0]);
}

/// A view allocates nothing, so its shape must be checked separately.
///
/// Promise: A view that no memory can hold is rejected and never wraps around
/// to a small size.
#[test]
fn a_view_that_no_memory_can_hold_is_rejected() {
    let _clean = clean();
    let none = Array::new(&[0], &[], Device::Cpu).unwrap();
    let one = Array::new(&[], &[1.0], Device::Cpu).unwrap();
    for shape in [&[HUGE, 2][..], &[usize::MAX, 3], &[HUGE, 2, 0]] {
        let right = too_large_shape(shape);
        let refused = |array| mistake(&format!("shape {shape:?}"), array);
        assert_eq!(refused(Array::new(shape, &[], Device::Cpu)), right);
        assert_eq!(refused(none.reshape(shape)), right);
        assert_eq!(refused(one.expand(shape)), right);
        assert_eq!(refused(Array::full(shape, 0.0, Device::Cpu)), right);
    }
}

/// Promise: An operation across two devices is rejected with a sentence that
/// says what to do.
#[test]
fn operands_on_two_devices_are_rejected() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    let there = Device::Gpu(gpu.info().index);
    let (a, b) = (leaf(&[2.0]), leaf(&[3.0]).to(there).unwrap());
    assert_eq!(
        attempt(|| a.mul(&b)).unwrap_err(),
        Error::DeviceMismatch {
            op: "mul".into(),
            left: "cpu".into(),
            right: there.to_string(),
            remedy: "move one with .to(..)".into(),
        }
    );
}

#[test]
fn a_gradient_returns_to_the_device_of_its_leaf() {
    let _clean = clean();
    let Some(gpu) = gpu_or_skip() else { return };
    let there = Device::Gpu(gpu.info().index);
    let a = leaf(&[2.0, 3.0]);
    let b = a.to(there).unwrap();
    assert_eq!(b.device(), there);
    b.mul(&b).sum().backward();
    let grad = a.grad().unwrap();
    assert_eq!(grad.device(), Device::Cpu);
    assert_eq!(grad.to_vec().unwrap(), [4.0, 6.0]);
}

#[test]
fn functions_agree_on_every_device() {
    let _clean = clean();
    if gpu_or_skip().is_none() {
        return;
    }
    let values = [0.5, -1.0, 1.5, 0.25, -0.75, 1.0];
    let on = |device: Device| {
        let x = Tensor::new(&[2, 3], &values, device).unwrap();
        let x = x.requires_grad();
        // Two axes, a view of a view, and a second derivative.
        let rows = x.exp().sum_to(&[2, 1]).expand(&[2, 3]);
        let columns = x.mul(&x).sum_to(&[3]).expand(&[2, 3]);
        let loss = rows.mul(&columns).add(&x).sum();
        let first = grad(&[&loss], &[&x], true).remove(0);
        let second = grad(&[&first.sum()], &[&x], false).remove(0);
        let numbers = [loss, first, second].map(|t| t.to_vec().unwrap());
        numbers.concat()
    };
    let right = on(Device::Cpu);
    for device in Device::all() {
        for (yours, right) in on(device).iter().zip(&right) {
            let near = (yours - right).abs() <= 1e-5 * right.abs().max(10.0);
            assert!(near, "{device}: {yours}, not {right}");
        }
    }
}

#[test]
fn device_names_are_parsed() {
    let _clean = clean();
    let parse = |name: &str| name.parse::<Device>();
    assert_eq!(parse("cpu"), Ok(Device::Cpu));
    assert_eq!(parse("gpu"), Ok(Device::Gpu(0)));
    assert_eq!(parse("gpu:1"), Ok(Device::Gpu(1)));
    assert_eq!(parse("fused"), Ok(Device::Fused(0)));
    assert_eq!(parse("plain"), Ok(Device::Plain(0)));
    assert_eq!(parse("plain:1"), Ok(Device::Plain(1)));
    assert_eq!(parse("plain:cpu"), Ok(Device::PlainCpu));
    for wrong in ["", "GPU:", "gpu:x", "gpu1", "gpu:", "cuda", "gpu:-1"] {
        let error = parse(wrong).unwrap_err();
        assert_eq!(error.exit_code(), 2);
        assert!(error.to_string().starts_with(&format!("`{wrong}` is not")));
    }
}

/// Without a trace, a tape has no values, so there is nothing to check.
#[test]
fn a_tape_without_values_reports_no_wrong_rule() {
    let _clean = clean();
    let x = leaf(&[2.0, 3.0]);
    let tape = x.mul(&x).add(&x).sum().backward_recorded();
    assert_eq!(tape.blame(), None);
    assert_eq!(tape.unchecked(), ["mul", "add", "sum"]);
}
