//! Runs the shared specification on Part 1 and tests what only Part 1 has.

use std::panic::catch_unwind;
use std::thread;

use ndarray::{ArrayD, arr1, arr2};
use rungrad::ledger;
use rungrad::part1_cpu::Tensor;
use rungrad::reference::{self, Array};
use testkit::engine::{Engine, Part1};
use testkit::random::Random;
use testkit::refusal::refusal;
use testkit::refusals::{HUGE, too_large_shape};
use testkit::spec::a_chain_runs_forward_and_backward;
use testkit::verdict::assert_values_are_right;

fn open() -> Option<Part1> {
    Some(Part1)
}

testkit::specification!(open);
testkit::operations!(open);
testkit::edges!(open);
testkit::refusals!(open);
testkit::operators!(open, f32::from);
testkit::networks!(open);

/// In `f32`, 1024 + 3e-5 is 1024: adding in this order loses the 3e-5, and
/// subtracting 1024 first keeps it. Both results are right.
#[test]
fn the_reference_accepts_the_rounding_of_a_sum() {
    let mut tape = Part1.record(|| {
        let x = Part1.leaf(&[3], &[1024.0, 3e-5, -1024.0]);
        Part1.sum(&x)
    });
    for (total, is_right) in [(0.0, true), (3e-5, true), (0.1, false)] {
        tape.records.last_mut().unwrap().values = Some(vec![total]);
        let said = catch_unwind(|| assert_values_are_right(&tape, "a sum"));
        assert_eq!(said.is_ok(), is_right, "{total}");
    }
}

#[test]
fn a_million_links_fit_a_stack_of_2_mb() {
    let small = thread::Builder::new().stack_size(2 << 20);
    let work = small.spawn(|| {
        let ((), counts) = ledger::measure(|| {
            a_chain_runs_forward_and_backward(&Part1, 1_000_000);
        });
        assert_eq!(counts.nodes, 1_000_002);
        assert_eq!(counts.live_nodes(), 0);
    });
    work.unwrap().join().unwrap();
}

#[test]
fn a_product_of_large_matrices_agrees_with_the_reference() {
    let mut random = Random(5);
    let mut matrix = |shape: &[usize]| {
        let values = random.values(shape.iter().product());
        (Tensor::new(shape, &values), Array::new(shape, &values))
    };
    let ((x, a), (y, b)) = (matrix(&[311, 190]), matrix(&[190, 151]));
    let expected = reference::matmul(&a, &b).values;
    for (actual, expected) in x.matmul(&y).to_vec().iter().zip(expected) {
        // 190 products below 4, each rounded, and so is each of their sums.
        let error = (f64::from(*actual) - expected).abs();
        let bound = 190.0 * 760.0 / 2f64.powi(24);
        assert!(error < bound, "{actual}, expected {expected}");
    }
}

/// `a^3`, in the way in which a reader adds an operation.
fn cube(name: &'static str, factor: f32, x: &Tensor) -> Tensor {
    let a = x.data();
    let out = a.mapv(|x| x * x * x);
    Tensor::from_op(name, &[x], out, move |grad_out| {
        vec![grad_out * &a.mapv(|x| factor * x * x)]
    })
}

/// Promise: A reader's own operation works in graphs and in tapes.
#[test]
fn user_defined_operations_work_in_graphs() {
    let x = Tensor::new(&[2], &[2.0, -1.0]);
    let y = cube("cube", 3.0, &x);
    assert_eq!((y.op(), y.parents()[0].id()), ("cube", x.id()));
    (&y * &x).sum().backward();
    assert_eq!(x.grad().unwrap(), arr1(&[32.0, -4.0]).into_dyn());
}

/// Promise: The tape reports an operation whose rule the reference cannot
/// check.
#[test]
fn the_tape_reports_unchecked_operations() {
    let x = Tensor::new(&[2], &[2.0, -1.0]);
    let tape = cube("my_cube", 30.0, &x).sum().backward_recorded();
    assert_eq!(tape.unchecked(), ["my_cube"]);
    assert_eq!(tape.blame(), None, "what is unchecked is not blamed");
}

#[test]
fn a_rule_with_a_built_in_name_is_checked() {
    let x = Tensor::new(&[2], &[2.0, -1.0]);
    let tape = cube("exp", 3.0, &x).sum().backward_recorded();
    assert_eq!(tape.unchecked(), [""; 0]);
    assert_eq!(tape.blame().expect("a cube is no exponential").at(), 1);
}

#[track_caller]
fn near(yours: &ArrayD<f32>, right: impl Iterator<Item = f32>) {
    for (yours, right) in yours.iter().zip(right) {
        assert!((yours - right).abs() < 1e-5 * right, "{yours}, not {right}");
    }
}

/// A transposed ndarray keeps its elements in place in memory and visits them
/// in a different order.
#[test]
fn arrays_of_any_memory_order_are_accepted() {
    let columns = || arr2(&[[1.0, 4.0], [2.0, 5.0], [3.0, 6.0]]);
    let transposed = || columns().reversed_axes().into_dyn();
    assert!(!transposed().is_standard_layout());

    let leaf = Tensor::from(transposed());
    assert_eq!(leaf.to_vec(), [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    let square = leaf.exp().log().mul(&leaf);
    assert_eq!(square.shape(), [2, 3]);
    square.backward_with(&transposed());
    let expected = leaf.to_vec().into_iter().map(|x| 2.0 * x * x);
    near(&leaf.grad().unwrap(), expected);

    let x = Tensor::new(&[2, 3], &[1.0; 6]);
    let given = transposed();
    let own = Tensor::from_op("own", &[&x.exp()], transposed(), move |_| {
        vec![given.clone()]
    });
    own.relu().reshape(&[6]).sum().backward();
    near(&x.grad().unwrap(), (1..=6).map(|g| g as f32 * 1f32.exp()));
}

#[test]
fn a_missing_gradient_names_the_operation() {
    let x = Tensor::new(&[1], &[1.0]);
    let y = Tensor::from_op("odd", &[&x, &x], arr1(&[1.0]).into_dyn(), |g| {
        vec![g.clone()]
    });
    let sentences = [
        refusal(|| y.backward()),
        refusal(|| y.backward_with(&y.data())),
        refusal(|| y.backward_recorded()),
    ];
    for sentence in sentences {
        assert_eq!(
            sentence,
            "odd: the rule gave 1 gradient for 2 operands; give one for \
             each, in operand order"
        );
    }
}

/// Promise: The error for a gradient with the wrong shape names the operation.
#[test]
fn a_gradient_of_the_wrong_shape_names_the_operation() {
    let x = Tensor::new(&[2], &[1.0, 2.0]);
    let y = Tensor::from_op("odd", &[&x], arr1(&[3.0]).into_dyn(), |g| {
        vec![g.clone()]
    });
    assert_eq!(
        refusal(|| y.backward()),
        "odd: the gradient of operand 0 has shape [1], but the operand has \
         [2]; a gradient has the shape of what it belongs to"
    );
}

#[test]
fn data_and_gradient_print_as_in_the_notebook() {
    let a = Tensor::new(&[2], &[2.0, 3.0]);
    let b = Tensor::new(&[2], &[3.0, 4.0]);
    a.mul(&b).mul(&b).sum().backward();
    assert_eq!(
        format!("{a}\n{b:?}"),
        "<Tensor with data: [2, 3], grad: [9, 16]>\n\
         <Tensor with data: [3, 4], grad: [12, 24]>"
    );
}

#[test]
fn tensors_of_any_shape_print() {
    let scalar = Tensor::new(&[], &[0.5]);
    assert_eq!(format!("{scalar}"), "<Tensor with data: 0.5, grad: none>");
    let rows = Tensor::new(&[2, 2], &[1.0, -2.0, 3.0, 4.0]);
    rows.backward_with(&rows.data());
    assert_eq!(
        format!("{rows:?}"),
        "<Tensor with data: [[1, -2],\n [3, 4]], \
         grad: [[1, -2],\n [3, 4]]>"
    );
    let none = Tensor::new(&[0], &[]);
    assert_eq!(format!("{none}"), "<Tensor with data: [], grad: none>");
    assert_eq!(format!("{}", none.sum()), "<Tensor with data: 0, grad: none>");
}

#[test]
fn values_that_do_not_fill_the_shape_are_rejected() {
    assert_eq!(
        refusal(|| Tensor::new(&[2, 3], &[1.0; 5])),
        "Tensor::new: shape [2, 3] holds 6 elements, but 5 values were \
         given; make the two agree"
    );
    let none = [HUGE, 2];
    assert_eq!(refusal(|| Tensor::new(&none, &[])), too_large_shape(&none));
}
