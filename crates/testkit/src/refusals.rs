//! Calls that every engine rejects with one sentence that contains the
//! operation, the shapes and what to do, at the caller's line.

use rungrad::ops::Keep;

use super::calls::Call;
use super::engine::Engine;
use super::verdict::has;

/// Defines one test for each rejected call that it lists.
#[macro_export]
macro_rules! refusals {
    ($open:path) => {
        $crate::refusals!(@ $open:
            shapes_that_do_not_broadcast_are_rejected,
            matrices_that_do_not_fit_are_rejected,
            a_matmul_of_a_vector_is_rejected,
            an_axis_that_does_not_exist_is_rejected,
            a_repeated_axis_is_rejected,
            a_root_without_elements_is_rejected,
            a_reshape_to_a_different_size_is_rejected,
            a_shape_beyond_all_memory_is_rejected,
            the_maximum_of_no_elements_is_rejected,
            a_vector_is_not_transposed,
            a_softmax_of_a_scalar_is_rejected,
            labels_that_do_not_fit_the_scores_are_rejected,
            scores_without_classes_are_rejected,
        );
    };
    (@ $open:path: $($sentence:ident,)*) => {
        $(
            #[test]
            fn $sentence() {
                let _clean = $crate::clean();
                if let Some(engine) = $open() {
                    $crate::refusals::$sentence(&engine);
                }
            }
        )*
    };
}

/// A leaf of ones.
fn ones<E: Engine>(e: &E, shape: &[usize]) -> E::Tensor {
    e.leaf(shape, &vec![1.0; shape.iter().product()])
}

/// Returns the error message of a call on leaves of these shapes.
fn refused<E: Engine>(e: &E, call: Call, shapes: &[&[usize]]) -> String {
    let leaves: Vec<_> = shapes.iter().map(|shape| ones(e, shape)).collect();
    let operands: Vec<_> = leaves.iter().collect();
    let what = format!("{call:?} of {shapes:?} on {}", e.name());
    e.refusal(&what, || e.call(&call, &operands))
}

/// Promise: Shapes that do not broadcast are rejected with a sentence that says
/// what to do, at the caller's line.
pub fn shapes_that_do_not_broadcast_are_rejected<E: Engine>(e: &E) {
    let calls = [Call::Mul, Call::Add, Call::Sub, Call::Div];
    for call in calls.into_iter().filter(|call| has(e, call.name())) {
        let right = format!(
            "{}: the shapes [2, 3] and [2] do not broadcast; aligned at the \
             right, sizes must be equal or 1",
            call.name()
        );
        e.says(&refused(e, call, &[&[2, 3], &[2]]), &right);
    }
    let sentence = refused(e, Call::Add, &[&[0], &[2]]);
    e.begins(&sentence, "add: the shapes [0] and [2] d");
}

pub fn matrices_that_do_not_fit_are_rejected<E: Engine>(e: &E) {
    e.says(
        &refused(e, Call::Matmul, &[&[2, 3], &[2, 4]]),
        "matmul: [2, 3] x [2, 4]: the left has 3 columns and the right 2 \
         rows; make them equal, perhaps by .transpose()",
    );
}

pub fn a_matmul_of_a_vector_is_rejected<E: Engine>(e: &E) {
    let shapes: [&[&[usize]]; 2] = [&[&[3], &[3, 2]], &[&[2, 3], &[3]]];
    for shapes in shapes {
        let right = format!(
            "matmul: {:?} x {:?}: both must be matrices of two axes; use \
             .reshape(..)",
            shapes[0], shapes[1]
        );
        e.says(&refused(e, Call::Matmul, shapes), &right);
    }
}

/// Returns the reductions that the engine has, over these axes.
fn reductions<E: Engine>(e: &E, axes: &[usize]) -> Vec<Call> {
    let axes = || axes.to_vec();
    let mut calls = vec![
        Call::Sum(axes(), Keep::No),
        Call::Mean(axes(), Keep::Yes),
        Call::Max(axes(), Keep::No),
    ];
    calls.retain(|call| has(e, call.name()));
    calls
}

pub fn an_axis_that_does_not_exist_is_rejected<E: Engine>(e: &E) {
    for call in reductions(e, &[0, 2]) {
        let right = format!(
            "{}: there is no axis 2; shape [2, 3] has the axes [0, 1]",
            call.name()
        );
        e.says(&refused(e, call, &[&[2, 3]]), &right);
    }
}

pub fn a_repeated_axis_is_rejected<E: Engine>(e: &E) {
    for call in reductions(e, &[1, 0, 1]) {
        let right = format!(
            "{}: axis 1 appears twice in [1, 0, 1]; name each axis once",
            call.name()
        );
        e.says(&refused(e, call, &[&[2, 3]]), &right);
    }
}

pub fn a_root_without_elements_is_rejected<E: Engine>(e: &E) {
    let nothing = ones(e, &[0]);
    e.says(
        &e.refusal("the call", || e.backward(&nothing)),
        "backward: this tensor has shape [0], not one element; sum it first, \
         or hand backward_with a gradient of that shape",
    );
}

pub fn a_reshape_to_a_different_size_is_rejected<E: Engine>(e: &E) {
    e.says(
        &refused(e, Call::Reshape(vec![4]), &[&[2, 3]]),
        "reshape: [2, 3] has 6 elements, [4] has 4; keep the number of \
         elements",
    );
}

/// Returns the message of every constructor for a shape that is too large.
pub fn too_large_shape(shape: &[usize]) -> String {
    format!(
        "shape {shape:?} has more elements than any memory has room for; \
         check its sizes"
    )
}

/// Twice this is 0 if the overflow is not detected.
pub const HUGE: usize = 1 << (usize::BITS - 1);

/// Promise: A shape that no memory can hold is rejected and never wraps around
/// to a small size.
pub fn a_shape_beyond_all_memory_is_rejected<E: Engine>(e: &E) {
    // An axis of size 0 does not help: the strides are products of the other
    // axes.
    for shape in [[HUGE, 2, 1], [usize::MAX, 3, 1], [HUGE, 2, 0]] {
        let call = Call::Reshape(shape.to_vec());
        assert_eq!(refused(e, call, &[&[0]]), too_large_shape(&shape));
    }
    // Two small shapes may broadcast to a huge one.
    let root = 1 << (usize::BITS / 2);
    let stretched = refused(e, Call::Add, &[&[root, 1, 0], &[root, 0]]);
    assert_eq!(stretched, too_large_shape(&[root, root, 0]));
    let product = refused(e, Call::Matmul, &[&[root, 0], &[0, root]]);
    assert_eq!(product, too_large_shape(&[root, root]));
}

pub fn the_maximum_of_no_elements_is_rejected<E: Engine>(e: &E) {
    let over = |axes: &[usize]| Call::Max(axes.to_vec(), Keep::No);
    e.says(
        &refused(e, over(&[0]), &[&[0]]),
        "max: shape [0] has no element along [0], and of none there is no \
         max; look at the shape first",
    );
    e.says(
        &refused(e, over(&[1]), &[&[2, 0]]),
        "max: shape [2, 0] has no element along [1], and of none there is no \
         max; look at the shape first",
    );
    // Nor if the result has no element.
    for axes in [&[0][..], &[1], &[1, 0]] {
        let sentence = refused(e, over(axes), &[&[0, 0]]);
        assert!(sentence.starts_with("max: shape [0, 0] has no element"));
    }
    // A matrix without rows has no empty row.
    let rows = e.call(&over(&[1]), &[&ones(e, &[0, 3])]).expect("a maximum");
    assert_eq!(e.shape(&rows), [0]);
}

pub fn a_vector_is_not_transposed<E: Engine>(e: &E) {
    e.says(
        &refused(e, Call::Transpose, &[&[3]]),
        "transpose: shape [3] has no two axes to exchange; reshape it to a \
         matrix",
    );
}

pub fn a_softmax_of_a_scalar_is_rejected<E: Engine>(e: &E) {
    for call in [Call::Softmax, Call::LogSoftmax] {
        let right = format!(
            "{}: a tensor without axes has no row; reshape it to [1, 1]",
            call.name()
        );
        e.says(&refused(e, call, &[&[]]), &right);
    }
}

pub fn labels_that_do_not_fit_the_scores_are_rejected<E: Engine>(e: &E) {
    let labels = |labels: &[usize]| Call::CrossEntropy(labels.to_vec());
    e.says(
        &refused(e, labels(&[0, 1, 3]), &[&[3, 3]]),
        "cross_entropy: label 3 with 3 classes; labels count from 0 to 2",
    );
    e.says(
        &refused(e, labels(&[0]), &[&[2, 3]]),
        "cross_entropy: 2 rows of scores and 1 labels; give one label for \
         each row",
    );
    e.says(
        &refused(e, labels(&[0]), &[&[3]]),
        "cross_entropy: the scores have shape [3]; it must be (rows, \
         classes), with at least one class",
    );
}

pub fn scores_without_classes_are_rejected<E: Engine>(e: &E) {
    e.says(
        &refused(e, Call::CrossEntropy(vec![0, 0]), &[&[2, 0]]),
        "cross_entropy: the scores have shape [2, 0]; it must be (rows, \
         classes), with at least one class",
    );
}
