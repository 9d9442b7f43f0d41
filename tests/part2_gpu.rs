//! Runs the shared specification on Part 2 with the first OpenCL device, and
//! tests what only Part 2 has.

use std::thread;

use rungrad::opencl::record;
use rungrad::ops::Keep;
use rungrad::part2_gpu::Tensor;
use rungrad::reference::Array;
use rungrad::{Error, attempt, ledger};
use testkit::calls::Call;
use testkit::clean;
use testkit::device::gpu_or_skip;
use testkit::engine::{Engine, Part2};
use testkit::random::Random;
use testkit::refusal::refusal;
use testkit::refusals::{HUGE, too_large_shape};

fn open() -> Option<Part2> {
    gpu_or_skip().map(Part2)
}

testkit::specification!(open);
testkit::operations!(open:
    mul_agrees_with_the_reference,
    add_agrees_with_the_reference,
    sub_agrees_with_the_reference,
    div_agrees_with_the_reference,
    sum_agrees_with_the_reference,
    mean_agrees_with_the_reference,
    matmul_agrees_with_the_reference,
    reshape_agrees_with_the_reference,
    transpose_agrees_with_the_reference,
    softmax_agrees_with_the_reference,
    log_softmax_agrees_with_the_reference,
    cross_entropy_agrees_with_the_reference,
);
testkit::edges!(@ open:
    relu_passes_no_gradient_at_zero,
    relu_passes_nan_through,
    relu_stops_a_nan_gradient,
    elementwise_operations_match_pytorch_at_special_values,
    softmax_of_large_scores_is_exact,
    every_row_of_softmax_sums_to_1,
    a_broadcast_row_gets_the_sum_of_its_gradients,
    a_quotient_has_its_slopes,
    an_operand_used_on_both_sides_gets_both_gradients,
    a_quotient_with_itself_has_no_slope,
    a_number_over_itself_is_1,
    a_quotient_of_tiny_or_huge_numbers_has_its_slopes,
    a_mean_of_no_elements_is_nan,
    a_sum_of_no_elements_is_zero,
    a_matmul_over_an_empty_axis_is_zero,
    the_loss_of_equal_scores_is_the_log_of_the_number_of_classes,
    the_loss_of_a_confident_answer_is_zero_or_its_margin,
);
testkit::refusals!(@ open:
    shapes_that_do_not_broadcast_are_rejected,
    matrices_that_do_not_fit_are_rejected,
    a_matmul_of_a_vector_is_rejected,
    an_axis_that_does_not_exist_is_rejected,
    a_repeated_axis_is_rejected,
    a_root_without_elements_is_rejected,
    a_reshape_to_a_different_size_is_rejected,
    a_shape_beyond_all_memory_is_rejected,
    a_vector_is_not_transposed,
    a_softmax_of_a_scalar_is_rejected,
    labels_that_do_not_fit_the_scores_are_rejected,
);

testkit::networks!(open);

/// Promise: Part 2 records a graph only if an input requires a gradient.
#[test]
fn nothing_is_recorded_without_requires_grad() {
    let _clean = clean();
    let Some(Part2(gpu)) = open() else { return };
    let a = Tensor::new(&gpu, &[1], &[2.0]).unwrap();
    let b = Tensor::new(&gpu, &[1], &[3.0]).unwrap();
    let plain = a.mul(&b);
    assert!(!plain.records() && plain.parents().is_empty());
    assert_eq!(
        attempt(|| plain.backward()),
        Err(Error::Mistake(
            "backward: no input of this tensor requires a gradient; call \
             .requires_grad() on one before computing"
                .to_string()
        ))
    );
    // Any input decides, in either operand position.
    let a = a.requires_grad();
    for c in [a.mul(&b), b.mul(&a)] {
        assert!(c.records());
        c.backward();
        assert_eq!(a.grad().unwrap().to_vec().unwrap(), [3.0]);
        assert!(b.grad().is_none());
        a.zero_grad();
    }
}

#[test]
fn a_long_chain_is_freed_in_a_small_stack() {
    let _clean = clean();
    let Some(Part2(gpu)) = open() else { return };
    let small = thread::Builder::new().stack_size(1 << 20);
    let work = small.spawn(move || {
        let x = Tensor::new(&gpu, &[1], &[1.0]).unwrap().requires_grad();
        (0..100_000).fold(x, |x, _| x.reshape(&[1]));
    });
    work.unwrap().join().unwrap();
}

#[test]
fn values_that_do_not_fill_the_shape_are_rejected() {
    let _clean = clean();
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
    assert_eq!(
        refused(&[HUGE, 2], &[]),
        Error::Mistake(too_large_shape(&[HUGE, 2]))
    );
}

#[test]
fn a_buffer_that_does_not_fit_the_shape_is_rejected() {
    let _clean = clean();
    let Some(Part2(gpu)) = open() else { return };
    let buffer = gpu.upload(&[1.0, 2.0]).unwrap();
    let made = Tensor::from_buffer(&[1, 2], buffer);
    assert_eq!(made.to_vec().unwrap(), [1.0, 2.0]);
    assert!(!made.records());
    for (shape, room, size) in [(&[2][..], 1, 2), (&[2], 4, 2), (&[0], 2, 0)] {
        let buffer = gpu.allocate(room).unwrap();
        assert_eq!(
            attempt(|| Tensor::from_buffer(shape, buffer).shape().to_vec()),
            Err(Error::Mistake(format!(
                "Tensor::from_buffer: shape {shape:?} holds {size} elements, \
                 but the buffer has room for {room}; allocate as many as the \
                 shape holds"
            )))
        );
    }
}

/// Promise: Part 1 computes gradients only for operands that require them.
#[test]
fn gradients_are_computed_only_where_required() {
    let _clean = clean();
    let Some(Part2(gpu)) = open() else { return };
    let a = Tensor::new(&gpu, &[1], &[2.0]).unwrap().requires_grad();
    let b = Tensor::new(&gpu, &[1], &[3.0]).unwrap();
    let launches = |c: &Tensor| {
        a.zero_grad();
        ledger::measure(|| c.backward()).1.launches
    };
    assert_eq!(launches(&a.mul(&b)), 1);
    assert_eq!(launches(&a.mul(&b.requires_grad())), 2);
    let c = Tensor::new(&gpu, &[2, 2, 2], &[1.0; 8]).unwrap().requires_grad();
    assert_eq!(launches(&c.sum()), 1, "repeated along all axes at once");
}

#[test]
fn operands_of_add_require_gradients_independently() {
    let _clean = clean();
    let Some(Part2(gpu)) = open() else { return };
    for needs in [[true, false], [false, true], [true, true]] {
        let [a, b] = needs.map(|needs| {
            let leaf = Tensor::new(&gpu, &[2], &[2.0, 3.0]).unwrap();
            if needs { leaf.requires_grad() } else { leaf }
        });
        a.add(&b).sum().backward();
        assert_eq!([&a, &b].map(|it| it.grad().is_some()), needs);
    }
}

#[test]
fn long_rows_use_a_group_and_columns_use_an_item() {
    let _clean = clean();
    let Some(Part2(gpu)) = open() else { return };
    for (shape, kernel) in [
        ([2, 256, 1], "reduce_rows"),
        ([2, 255, 1], "reduce_axis"),
        ([2, 256, 2], "reduce_axis"),
    ] {
        let count = shape.iter().product();
        let a = Tensor::new(&gpu, &shape, &vec![1.0; count]).unwrap();
        let sum = || a.sum_over(&[1], Keep::No);
        let (sums, timeline) = record(sum).unwrap();
        assert_eq!(sums.to_vec().unwrap(), vec![shape[1] as f32; sums.len()]);
        let names = timeline.slices.iter().map(|it| it.name.as_str());
        let launched: Vec<&str> = names.filter(|it| *it == kernel).collect();
        assert_eq!(launched.len(), 1, "{shape:?}: {:?}", timeline.slices);
    }
}

#[test]
fn a_gradient_has_no_graph_and_no_gradient() {
    let _clean = clean();
    let Some(Part2(gpu)) = open() else { return };
    let a = Tensor::new(&gpu, &[1], &[2.0]).unwrap().requires_grad();
    a.mul(&a).backward();
    let grad = a.grad().unwrap();
    assert!(grad.grad().is_none() && grad.parents().is_empty());
    assert_eq!(grad.shape(), a.shape());
}

/// Promise: A training step in Part 2 leaves only its gradients in memory.
#[test]
fn a_step_keeps_only_its_gradients() {
    let _clean = clean();
    let Some(Part2(gpu)) = open() else { return };
    let kept = |step: &dyn Fn()| {
        let ((), counts) = ledger::measure(step);
        let buffers = counts.allocations as i64 - counts.frees as i64;
        (buffers, counts.live_nodes())
    };
    let all = kept(&|| {
        let leaf = |values| Tensor::new(&gpu, &[2], values).unwrap();
        let a = leaf(&[2.0, 3.0]).requires_grad();
        let b = leaf(&[3.0, 4.0]).requires_grad();
        let step = || a.mul(&b).mul(&b).sum().backward();
        assert_eq!(kept(&step), (2, 2));
        assert_eq!(kept(&step), (0, 0));
        assert_eq!(kept(&step), (0, 0));
        assert_eq!(a.grad().unwrap().to_vec().unwrap(), [27.0, 48.0]);
    });
    assert_eq!(all, (0, 0));
}

/// Promise: Part 2 rejects a rule whose gradients would record a graph.
#[test]
fn recorded_gradients_are_rejected() {
    let _clean = clean();
    let Some(Part2(gpu)) = open() else { return };
    let a = Tensor::new(&gpu, &[1], &[2.0]).unwrap().requires_grad();
    let b = Tensor::new(&gpu, &[1], &[3.0]).unwrap().requires_grad();
    let refused = |gradients: usize| {
        let (product, x) = (a.detach().mul(&b.detach()), b.clone());
        let c = Tensor::from_op("times", &[&a, &b], product, move |above| {
            vec![Some(above.mul(&x)); gradients]
        });
        attempt(|| c.backward()).unwrap_err().to_string()
    };
    assert_eq!(
        refused(2),
        "times: the gradient of operand 0 is itself recorded; let the rule \
         work on detached operands"
    );
    assert!(refused(1).contains("the rule gave 1 gradient for 2 operands"));
}

/// Promise: No training step of Part 2 after the first builds a kernel.
#[test]
fn later_steps_build_no_kernel() {
    let _clean = clean();
    let Some(Part2(gpu)) = open() else { return };
    let step = || {
        let a = Tensor::new(&gpu, &[3], &[1., 2., 3.]).unwrap();
        let a = a.requires_grad();
        a.mul(&a).sum().backward();
    };
    step();
    let ((), counts) = ledger::measure(step);
    assert_eq!(counts.builds, 0);
    // Forward: mul, sum. Backward: repeat, two products, their sum.
    assert_eq!(counts.launches, 6);
    assert_eq!(counts.live_nodes(), 0);
}

/// Rows that fit in one work-group, and longer rows, for which the group's
/// loop runs more than once.
#[test]
fn sums_of_rows_of_any_length_are_right() {
    let _clean = clean();
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

/// Rows longer than a work-group, full and partial tiles, and a batch of
/// matrices.
#[test]
fn long_rows_and_many_tiles_are_right() {
    let _clean = clean();
    let Some(e) = open() else { return };
    let mut random = Random(7);
    for shape in [[2, 3, 200], [3, 37, 64], [1, 16, 65]] {
        let values = random.values(shape.iter().product());
        let a = Array::new(&shape, &values);
        let x = e.leaf(&shape, &values);
        for call in [Call::LogSoftmax, Call::Transpose] {
            let yours = e.call(&call, &[&x]).unwrap();
            let right = call.judge(std::slice::from_ref(&a));
            assert_eq!(yours.shape(), right.shape);
            let pairs = yours.to_vec().unwrap().into_iter().zip(right.values);
            for (yours, right) in pairs {
                let error = (f64::from(yours) - right).abs();
                assert!(error < 1e-5, "{call:?} of {shape:?}: {error}");
            }
        }
    }
}

/// The broadcast kernels handle eight axes per launch.
///
/// Promise: Operands with any number of axes broadcast in Part 2.
#[test]
fn operands_with_any_number_of_axes_broadcast() {
    let _clean = clean();
    let Some(e) = open() else { return };
    for axes in [8, 9, 12] {
        let [mut even, mut odd] = [vec![1; axes], vec![1; axes]];
        for axis in 0..axes {
            let size = 2 - usize::from(axis > 10);
            [&mut even, &mut odd][axis % 2][axis] = size;
        }
        for call in [Call::Add, Call::Mul, Call::Sub, Call::Div] {
            let mut random = Random(7);
            let operands = [&even, &odd[1..].to_vec()].map(|shape| {
                let values = random.values(shape.iter().product());
                (e.leaf(shape, &values), Array::new(shape, &values))
            });
            let [(x, a), (y, b)] = operands;
            let z = e.call(&call, &[&x, &y]).unwrap();
            let right = call.judge(&[a, b]);
            assert_eq!(z.shape(), right.shape);
            for (yours, right) in e.values(&z).iter().zip(&right.values) {
                assert!((f64::from(*yours) - right).abs() < 1e-5, "{call:?}");
            }
            assert_eq!(z.sum().backward_recorded().blame(), None);
        }
    }
}

/// Promise: Turning a computed tensor into a leaf requires an explicit call.
#[test]
fn requires_grad_rejects_a_computed_tensor() {
    let _clean = clean();
    let Some(Part2(gpu)) = open() else { return };
    let x = Tensor::new(&gpu, &[1], &[2.0]).unwrap().requires_grad();
    let y = x.scale(3.0);
    assert_eq!(
        refusal(|| y.requires_grad()),
        "requires_grad: this tensor is the result of scale, and a leaf would \
         cut it off from what it was computed from; call .detach() first if \
         that is meant"
    );
    assert!(y.detach().requires_grad().parents().is_empty());
    // A leaf stays the same leaf.
    assert_eq!(x.requires_grad().id(), x.id());
}

/// Promise: A sum in Part 2 takes one launch per stage.
#[test]
fn a_sum_takes_one_launch_per_stage() {
    let _clean = clean();
    let Some(Part2(gpu)) = open() else { return };
    for (n, stages) in [(1, 1), (256, 1), (257, 2), (65_536, 2), (65_537, 3)] {
        let ones = Tensor::new(&gpu, &[n], &vec![1.0; n]).unwrap();
        let (sum, counts) = ledger::measure(|| ones.sum());
        assert_eq!(counts.launches, stages, "{n} ones");
        assert_eq!(counts.bytes_to_host, 0, "partial sums stay on the device");
        assert_eq!(sum.to_vec().unwrap(), [n as f32]);
    }
}

/// Promise: The softmax of all rows of a matrix takes one launch in Part 2.
#[test]
fn the_softmax_of_all_rows_takes_one_launch() {
    let _clean = clean();
    let Some(Part2(gpu)) = open() else { return };
    let scores = Tensor::new(&gpu, &[300, 10], &[1.0; 3000]).unwrap();
    let (_, counts) = ledger::measure(|| scores.log_softmax());
    assert_eq!(counts.launches, 1);
}

/// The order of the additions depends only on the number of elements, so the
/// host can repeat it.
///
/// Promise: A sum in Part 2 has the same bits in every run.
#[test]
fn a_sum_has_the_bits_of_its_reduction_tree() {
    let _clean = clean();
    let Some(Part2(gpu)) = open() else { return };
    for n in [3, 256, 1000, 70_001] {
        let values = Random(n as u64).values(n);
        let mut stage = values.clone();
        while stage.len() > 1 {
            stage = stage.chunks(256).map(tree).collect();
        }
        let tensor = Tensor::new(&gpu, &[n], &values).unwrap();
        for run in 0..3 {
            let sum = tensor.sum().to_vec().unwrap()[0];
            assert_eq!(sum.to_bits(), stage[0].to_bits(), "{n}, run {run}");
        }
    }
}

/// The sum that a work-group of 256 items computes of at most 256 values.
fn tree(values: &[f32]) -> f32 {
    let mut tree = [0.0; 256];
    tree[..values.len()].copy_from_slice(values);
    for width in [128, 64, 32, 16, 8, 4, 2, 1] {
        for item in 0..width {
            tree[item] += tree[item + width];
        }
    }
    tree[0]
}

/// Promise: A training step of Part 2 releases the memory that it used.
#[test]
fn a_step_releases_its_memory() {
    let _clean = clean();
    let Some(Part2(gpu)) = open() else { return };
    // Other tests use the device too, so this counts only its own thread.
    let ((), counts) = ledger::measure(|| {
        let a = Tensor::new(&gpu, &[4], &[1.0; 4]).unwrap();
        a.requires_grad().mul(&a).sum().backward();
    });
    assert!(counts.allocations > 0);
    assert_eq!(counts.allocations, counts.frees);
}
