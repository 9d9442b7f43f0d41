//! Part 2 on the first OpenCL device against the specification, and its own
//! rules.

#[macro_use]
mod common;

use common::device::gpu_or_skip;
use common::engine::{Engine, Part2};
use common::refusals::{HUGE, beyond};
use rungrad::ops::Keep;
use rungrad::part2_gpu::Tensor;
use rungrad::{Error, attempt, ledger};

fn open() -> Option<Part2> {
    gpu_or_skip().map(Part2)
}

specification!(open);
operations!(open:
    sum_agrees_with_the_judge,
    mean_agrees_with_the_judge,
);

#[test]
fn nothing_is_recorded_unless_it_is_asked_for() {
    let Some(Part2(gpu)) = open() else { return };
    let a = Tensor::new(&gpu, &[1], &[2.0]).unwrap();
    let b = Tensor::new(&gpu, &[1], &[3.0]).unwrap();
    let plain = a.mul(&b);
    assert!(!plain.needs_grad() && plain.parents().is_empty());
    assert_eq!(
        attempt(|| plain.backward()),
        Err(Error::Mistake(
            "backward: no input of this tensor requires a gradient; call \
             .requires_grad() on one before computing"
                .to_string()
        ))
    );
    // All inputs decide, in either place.
    let a = a.requires_grad();
    for c in [a.mul(&b), b.mul(&a)] {
        assert!(c.needs_grad());
        c.backward();
        assert_eq!(a.grad().unwrap().to_vec().unwrap(), [3.0]);
        assert!(b.grad().is_none());
        a.zero_grad();
    }
}

#[test]
fn values_that_do_not_fill_the_shape_are_refused() {
    let Some(Part2(gpu)) = open() else { return };
    let refused = |shape: &[usize], values: &[f32]| {
        Tensor::new(&gpu, shape, values).unwrap_err()
    };
    assert_eq!(
        refused(&[2, 3], &[1.0; 5]),
        Error::Mistake(
            "Tensor::new: shape [2, 3] holds 6 elements, but 5 values were \
             given; make the two agree"
                .to_string()
        )
    );
    assert_eq!(refused(&[HUGE, 2], &[]), Error::Mistake(beyond(&[HUGE, 2])));
}

#[test]
fn a_gradient_is_computed_only_for_operands_that_need_one() {
    let Some(Part2(gpu)) = open() else { return };
    let a = Tensor::new(&gpu, &[1], &[2.0]).unwrap().requires_grad();
    let b = Tensor::new(&gpu, &[1], &[3.0]).unwrap();
    let launches = |c: &Tensor| {
        a.zero_grad();
        ledger::measure(|| c.backward()).1.launches
    };
    assert_eq!(launches(&a.mul(&b)), 1);
    assert_eq!(launches(&a.mul(&b.requires_grad())), 2);
}

#[test]
fn the_gradient_of_a_gradient_ends_after_one_level() {
    let Some(Part2(gpu)) = open() else { return };
    let a = Tensor::new(&gpu, &[1], &[2.0]).unwrap().requires_grad();
    a.mul(&a).backward();
    let grad = a.grad().unwrap();
    assert!(grad.grad().is_none() && grad.parents().is_empty());
    assert_eq!(grad.shape(), a.shape());
}

#[test]
fn a_step_after_the_first_builds_no_kernel() {
    let Some(Part2(gpu)) = open() else { return };
    let step = || {
        let a = Tensor::new(&gpu, &[3], &[1., 2., 3.]).unwrap();
        let a = a.requires_grad();
        a.mul(&a).sum().backward();
    };
    step();
    let ((), counts) = ledger::measure(step);
    assert_eq!(counts.builds, 0);
    // mul, sum; repeat, two products, their sum.
    assert_eq!(counts.launches, 6);
    assert_eq!(counts.live_nodes(), 0);
}

/// One work-group for a row, more than one turn of its loop, and what lies
/// behind.
#[test]
fn a_sum_of_rows_of_any_length_is_right() {
    let Some(e) = open() else { return };
    for n in [1, 255, 256, 257, 1000] {
        let values = |row: usize| (0..n).map(move |i| (i % (7 + row)) as f32);
        let rows: Vec<f32> = (0..3).flat_map(values).collect();
        let sums = [0, 1, 2].map(|row| values(row).sum::<f32>());
        let a = e.leaf(&[3, n], &rows);
        let sum = a.sum_over(&[1], Keep::No);
        assert_eq!(sum.to_vec().unwrap(), sums, "rows of {n}");
        e.backward_with(&sum, &[3], &[1.0, 2.0, 3.0]);
        let grad: Vec<f32> =
            [1.0, 2.0, 3.0].iter().flat_map(|g| vec![*g; n]).collect();
        assert_eq!(e.grad(&a).unwrap(), grad, "the gradient of rows of {n}");
    }
}

#[test]
fn memory_returns_after_a_step() {
    let Some(Part2(gpu)) = open() else { return };
    // Other tests use the device too, so this one counts for its thread.
    let ((), counts) = ledger::measure(|| {
        let a = Tensor::new(&gpu, &[4], &[1.0; 4]).unwrap();
        a.requires_grad().mul(&a).sum().backward();
    });
    assert!(counts.allocations > 0);
    assert_eq!(counts.allocations, counts.frees);
}
