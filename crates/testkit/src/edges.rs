//! Edge cases that random values avoid: kinks, ties, poles, empty tensors and
//! extreme values. The expected values are PyTorch's.

use rungrad::ops::Keep;

use super::calls::Call;
use super::elementwise;
use super::engine::Engine;
use super::verdict::has;

/// Defines one test for each edge case that it lists.
#[macro_export]
macro_rules! edges {
    ($open:path) => {
        $crate::edges!(@ $open:
            relu_passes_no_gradient_at_zero,
            relu_passes_nan_through,
            relu_stops_a_nan_gradient,
            abs_has_no_slope_at_zero,
            ties_of_max_share_the_gradient,
            the_maximum_of_elements_with_nan_is_nan,
            sigmoid_is_finite_far_out,
            tanh_saturates,
            elementwise_operations_match_pytorch_at_special_values,
            softmax_of_large_scores_is_exact,
            every_row_of_softmax_sums_to_1,
            a_broadcast_row_gets_the_sum_of_its_gradients,
            the_zeroth_power_is_1_with_derivative_0,
            the_derivative_of_a_power_at_zero_is_right,
            the_derivative_of_the_root_at_zero_is_infinite,
            the_logarithm_of_zero_is_negative_infinity,
            a_quotient_has_its_slopes,
            a_difference_is_not_reversed,
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
    };
    (@ $open:path: $($sentence:ident,)*) => {
        $(
            #[test]
            fn $sentence() {
                let _clean = $crate::clean();
                if let Some(engine) = $open() {
                    $crate::edges::$sentence(&engine);
                }
            }
        )*
    };
}

/// Returns the result of a call on a vector, and the gradient for an upstream
/// gradient of ones.
#[track_caller]
fn values_and_gradient<E: Engine>(
    e: &E,
    call: Call,
    values: &[f32],
) -> [Vec<f32>; 2] {
    let x = e.leaf(&[values.len()], values);
    let y = e.call(&call, &[&x]).expect("the operation");
    let shape = e.shape(&y);
    e.backward_with(&y, &shape, &vec![1.0; shape.iter().product()]);
    [e.values(&y), e.grad(&x).expect("a gradient")]
}

#[track_caller]
fn near(yours: &[f32], right: &[f32], allowed: f32) {
    assert_eq!(yours.len(), right.len());
    let far = |(y, r): (&f32, &f32)| (y - r).abs() > allowed || y.is_nan();
    let wrong = yours.iter().zip(right).any(far);
    assert!(!wrong, "{yours:?} is not within {allowed} of {right:?}");
}

/// Promise: The derivative of ReLU at 0 is 0, as in PyTorch.
pub fn relu_passes_no_gradient_at_zero<E: Engine>(e: &E) {
    let [y, slope] =
        values_and_gradient(e, Call::Each("relu"), &[-1.0, -0.0, 0.0, 2.0]);
    assert_eq!(y, [0.0, 0.0, 0.0, 2.0]);
    assert_eq!(slope, [0.0, 0.0, 0.0, 1.0]);
}

pub fn relu_passes_nan_through<E: Engine>(e: &E) {
    let [y, _] = values_and_gradient(e, Call::Each("relu"), &[f32::NAN, -1.0]);
    assert!(y[0].is_nan(), "NaN became {}, which hides the error", y[0]);
    assert_eq!(y[1], 0.0);
}

pub fn relu_stops_a_nan_gradient<E: Engine>(e: &E) {
    // The rule must select instead of multiply, because 0 times infinity is
    // NaN.
    for bad in [f32::INFINITY, f32::NEG_INFINITY, f32::NAN] {
        let x = e.leaf(&[4], &[-1.0, -0.0, 0.0, 2.0]);
        let y = e.call(&Call::Each("relu"), &[&x]).expect("the operation");
        e.backward_with(&y, &[4], &[bad; 4]);
        let grad = e.grad(&x).expect("a gradient");
        assert_eq!(grad[..3], [0.0; 3]);
        assert!(grad[3] == bad || (grad[3].is_nan() && bad.is_nan()));
    }
}

pub fn abs_has_no_slope_at_zero<E: Engine>(e: &E) {
    let [y, slope] =
        values_and_gradient(e, Call::Each("abs"), &[-3.0, -0.0, 0.0, 2.0]);
    assert_eq!(y, [3.0, 0.0, 0.0, 2.0]);
    assert_eq!(slope, [-1.0, 0.0, 0.0, 1.0]);
}

/// Promise: Elements that tie for the maximum share its gradient, as in
/// PyTorch.
pub fn ties_of_max_share_the_gradient<E: Engine>(e: &E) {
    let values = [1.0, 3.0, 3.0, 2.0, 3.0, 0.0];
    let x = e.leaf(&[6], &values);
    let most = e.call(&Call::Max(vec![0], Keep::No), &[&x]).unwrap();
    e.backward_with(&most, &[], &[6.0]);
    assert_eq!(e.values(&most), [3.0]);
    assert_eq!(e.grad(&x).unwrap(), [0.0, 2.0, 2.0, 0.0, 2.0, 0.0]);

    // Each row shares its own gradient.
    let x = e.leaf(&[2, 3], &values);
    let most = e.call(&Call::Max(vec![1], Keep::Yes), &[&x]).unwrap();
    e.backward_with(&most, &[2, 1], &[1.0, 10.0]);
    assert_eq!(e.values(&most), [3.0, 3.0]);
    assert_eq!(e.grad(&x).unwrap(), [0.0, 0.5, 0.5, 0.0, 10.0, 0.0]);
}

pub fn the_maximum_of_elements_with_nan_is_nan<E: Engine>(e: &E) {
    for values in [[1.0, f32::NAN, 3.0], [f32::NAN, 1.0, 3.0], [f32::NAN; 3]] {
        let [most, share] =
            values_and_gradient(e, Call::Max(vec![0], Keep::No), &values);
        assert!(most[0].is_nan(), "the maximum of {values:?} is {most:?}");
        // The elements that produced the result get the gradient.
        let nans = values.iter().filter(|x| x.is_nan()).count() as f32;
        let right = values.map(|x| if x.is_nan() { 1.0 / nans } else { 0.0 });
        assert_eq!(share, right);
    }
}

pub fn sigmoid_is_finite_far_out<E: Engine>(e: &E) {
    let [y, slope] = values_and_gradient(
        e,
        Call::Each("sigmoid"),
        &[-1e4, -100.0, 0.0, 100.0, 1e4],
    );
    near(&y, &[0.0, 0.0, 0.5, 1.0, 1.0], 1e-7);
    near(&slope, &[0.0, 0.0, 0.25, 0.0, 0.0], 1e-7);
    // Small, but with full relative precision: e^-30.
    let [y, slope] = values_and_gradient(e, Call::Each("sigmoid"), &[-30.0]);
    near(&y, &[9.357_623e-14], 1e-19);
    near(&slope, &[9.357_623e-14], 1e-19);
}

pub fn tanh_saturates<E: Engine>(e: &E) {
    let [y, slope] = values_and_gradient(
        e,
        Call::Each("tanh"),
        &[-1e4, -100.0, 0.0, 100.0, 1e4],
    );
    assert_eq!(y, [-1.0, -1.0, 0.0, 1.0, 1.0]);
    assert_eq!(slope, [0.0, 0.0, 1.0, 0.0, 0.0]);
}

/// Covers all operations of [`elementwise::ALL`] that the engine has.
pub fn elementwise_operations_match_pytorch_at_special_values<E: Engine>(
    e: &E,
) {
    let mut seen = 0;
    for one in elementwise::ALL.iter().filter(|one| has(e, one.name)) {
        for &[x, value, slope] in one.corners {
            let yours = values_and_gradient(e, Call::Each(one.name), &[x]);
            for (yours, right) in yours.iter().zip([value, slope]) {
                let far = (yours[0] - right).abs() > 2e-6 * right.abs().max(1.);
                let same = yours[0] == right
                    || (yours[0].is_nan() && right.is_nan())
                    || !(far || yours[0].is_nan() || right.is_nan());
                assert!(same, "{} of {x}: {yours:?}, not {right}", one.name);
            }
            seen += 1;
        }
    }
    assert!(seen > 10, "{} has {seen} corners", e.name());
}

/// Promise: Softmax of very large scores does not overflow.
pub fn softmax_of_large_scores_is_exact<E: Engine>(e: &E) {
    // `exp(1e4)` is infinite. And next to 1e4 a small addend loses its digits,
    // so the maximum must be subtracted first.
    let scores = [1e4, 1e4, -1e4, -1e4, 1e4, 9999.0];
    let rows = e.leaf(&[3, 2], &scores);
    let softmax = e.call(&Call::Softmax, &[&rows]).unwrap();
    let logs = e.call(&Call::LogSoftmax, &[&rows]).unwrap();
    let (half, more) = (0.5f32.ln(), 1.0 / (1.0 + (-1f32).exp()));
    near(&e.values(&softmax), &[0.5, 0.5, 0.5, 0.5, more, 1.0 - more], 1e-6);
    near(
        &e.values(&logs),
        &[half, half, half, half, more.ln(), more.ln() - 1.0],
        1e-6,
    );
    e.backward_with(&logs, &[3, 2], &[1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
    let rest = 1.0 - more;
    near(&e.grad(&rows).unwrap(), &[0.5, -0.5, 0.5, -0.5, rest, -rest], 1e-6);
    e.zero_grad(&rows);
    e.backward_with(&softmax, &[3, 2], &[1.0, 0.0, 1.0, 0.0, 1.0, 0.0]);
    let slope = more * rest;
    near(
        &e.grad(&rows).unwrap(),
        &[0.25, -0.25, 0.25, -0.25, slope, -slope],
        1e-6,
    );
}

pub fn every_row_of_softmax_sums_to_1<E: Engine>(e: &E) {
    let mut random = super::random::Random(3);
    for scale in [1.0, 30.0, 1e4] {
        let scores: Vec<f32> =
            random.values(40).into_iter().map(|x| x * scale).collect();
        let rows = e.leaf(&[8, 5], &scores);
        let shares = e.call(&Call::Softmax, &[&rows]).unwrap();
        for row in e.values(&shares).chunks(5) {
            assert!(row.iter().all(|share| (0.0..=1.0).contains(share)));
            near(&[row.iter().sum()], &[1.0], 1e-6);
        }
    }
}

pub fn a_broadcast_row_gets_the_sum_of_its_gradients<E: Engine>(e: &E) {
    let square = e.leaf(&[2, 2], &[1.0, 2.0, 3.0, 4.0]);
    let row = e.leaf(&[2], &[10.0, 20.0]);
    let column = e.leaf(&[2, 1], &[100.0, 200.0]);
    let number = e.leaf(&[], &[1000.0]);
    let add =
        |a: &E::Tensor, b: &E::Tensor| e.call(&Call::Add, &[a, b]).unwrap();
    let total = add(&add(&row, &square), &add(&number, &column));
    assert_eq!(e.values(&total), [1111.0, 1122.0, 1213.0, 1224.0]);
    e.backward_with(&total, &[2, 2], &[1.0, 2.0, 3.0, 4.0]);
    assert_eq!(e.grad(&square).unwrap(), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(e.grad(&row).unwrap(), [4.0, 6.0]);
    assert_eq!(e.grad(&column).unwrap(), [3.0, 7.0]);
    assert_eq!(e.grad(&number).unwrap(), [10.0]);
}

pub fn the_zeroth_power_is_1_with_derivative_0<E: Engine>(e: &E) {
    let [y, slope] = values_and_gradient(
        e,
        Call::Pow(0.0),
        &[-2.0, 0.0, 3.0, f32::INFINITY],
    );
    assert_eq!(y, [1.0; 4]);
    assert_eq!(slope, [0.0; 4]);
}

pub fn the_derivative_of_a_power_at_zero_is_right<E: Engine>(e: &E) {
    assert_eq!(values_and_gradient(e, Call::Pow(1.0), &[0.0]), [[0.0], [1.0]]);
    assert_eq!(values_and_gradient(e, Call::Pow(2.0), &[0.0]), [[0.0], [0.0]]);
    assert_eq!(
        values_and_gradient(e, Call::Pow(3.0), &[-2.0]),
        [[-8.0], [12.0]]
    );
    assert_eq!(
        values_and_gradient(e, Call::Pow(-1.0), &[-2.0]),
        [[-0.5], [-0.25]]
    );
}

pub fn the_derivative_of_the_root_at_zero_is_infinite<E: Engine>(e: &E) {
    let [y, slope] =
        values_and_gradient(e, Call::Each("sqrt"), &[4.0, 0.0, 0.25]);
    assert_eq!(y, [2.0, 0.0, 0.5]);
    assert_eq!(slope, [0.25, f32::INFINITY, 1.0]);
    let [y, _] = values_and_gradient(e, Call::Each("sqrt"), &[-1.0]);
    assert!(y[0].is_nan());
}

pub fn the_logarithm_of_zero_is_negative_infinity<E: Engine>(e: &E) {
    let [y, slope] =
        values_and_gradient(e, Call::Each("log"), &[1.0, 0.0, 4.0]);
    near(&[y[0], y[2]], &[0.0, 4f32.ln()], 1e-6);
    assert_eq!(y[1], f32::NEG_INFINITY);
    assert_eq!(slope, [1.0, f32::INFINITY, 0.25]);
    let [y, slope] = values_and_gradient(e, Call::Each("log"), &[-2.0]);
    assert!(y[0].is_nan());
    assert_eq!(slope, [-0.5]);
}

pub fn a_quotient_has_its_slopes<E: Engine>(e: &E) {
    let (a, b) = (e.leaf(&[3], &[6.0, 1.0, 1.0]), e.leaf(&[3], &[2., -4., 0.]));
    let c = e.call(&Call::Div, &[&a, &b]).unwrap();
    assert_eq!(e.values(&c), [3.0, -0.25, f32::INFINITY]);
    e.backward_with(&c, &[3], &[1.0; 3]);
    assert_eq!(e.grad(&a).unwrap(), [0.5, -0.25, f32::INFINITY]);
    let right = [-1.5, -0.0625, f32::NEG_INFINITY];
    assert_eq!(e.grad(&b).unwrap(), right);
}

pub fn a_difference_is_not_reversed<E: Engine>(e: &E) {
    let (a, b) = (e.leaf(&[2], &[5.0, 1.0]), e.leaf(&[2], &[2.0, 7.0]));
    let c = e.call(&Call::Sub, &[&a, &b]).unwrap();
    assert_eq!(e.values(&c), [3.0, -6.0]);
    e.backward_with(&c, &[2], &[1.0, 10.0]);
    assert_eq!(e.grad(&a).unwrap(), [1.0, 10.0]);
    assert_eq!(e.grad(&b).unwrap(), [-1.0, -10.0]);
}

/// Returns the gradient of a square matrix that is both operands.
fn with_itself<E: Engine>(e: &E, call: Call) -> Vec<f32> {
    let x = e.leaf(&[2, 2], &[2.0, 4.0, 8.0, 16.0]);
    let y = e.call(&call, &[&x, &x]).unwrap();
    e.backward_with(&y, &[2, 2], &[1.0; 4]);
    e.grad(&x).unwrap()
}

pub fn an_operand_used_on_both_sides_gets_both_gradients<E: Engine>(e: &E) {
    assert_eq!(with_itself(e, Call::Add), [2.0; 4]);
    assert_eq!(with_itself(e, Call::Sub), [0.0; 4]);
    assert_eq!(with_itself(e, Call::Mul), [4.0, 8.0, 16.0, 32.0]);
    // Row sums from the right operand, column sums from the left.
    assert_eq!(with_itself(e, Call::Matmul), [16.0, 34.0, 26.0, 44.0]);
}

pub fn a_quotient_with_itself_has_no_slope<E: Engine>(e: &E) {
    assert_eq!(with_itself(e, Call::Div), [0.0; 4]);
}

/// Promise: A number divided by itself is exactly 1.
pub fn a_number_over_itself_is_1<E: Engine>(e: &E) {
    let numbers: Vec<f32> = (1..=10_000).map(|i| i as f32).collect();
    let x = e.leaf(&[10_000], &numbers);
    let y = e.call(&Call::Div, &[&x, &x]).unwrap();
    quotients(e, 1, &e.values(&y), &[1.0; 10_000]);
    // Values below 1.2e-38 are subnormal, and some devices flush them to 0.
    let x = e.leaf(&[], &[1e-40]);
    let kept = e.values(&e.mul(&x, &e.leaf(&[], &[1.0]))) != [0.0];
    let y = e.values(&e.call(&Call::Div, &[&x, &x]).unwrap())[0];
    match kept {
        true => quotients(e, 1, &[y], &[1.0]),
        false => assert!(y.is_nan(), "{y}"),
    }
}

/// Asserts that each result of `count` divisions is as precise as the device
/// states. Most devices state correct rounding.
#[track_caller]
pub fn quotients<E: Engine>(e: &E, count: u8, yours: &[f32], right: &[f32]) {
    assert_eq!(yours.len(), right.len());
    for (yours, right) in yours.iter().zip(right) {
        // The largest unit in the last place of such a value.
        let unit = (right.abs() * f32::EPSILON).max(f32::from_bits(1));
        let room = f32::from(count) * e.quotients_err_by() * unit;
        let close = (yours - right).abs() <= room;
        assert!(yours == right || close, "{yours} is not {right}");
    }
}

/// Promise: The derivatives of a division are right for tiny and huge
/// operands, too.
pub fn a_quotient_of_tiny_or_huge_numbers_has_its_slopes<E: Engine>(e: &E) {
    let a = e.leaf(&[2], &[1e-30, 1e30]);
    let b = e.leaf(&[2], &[1e-20, 1e25]);
    let y = e.call(&Call::Div, &[&a, &b]).unwrap();
    e.backward_with(&y, &[2], &[1.0; 2]);
    for (yours, right) in [
        (e.values(&y), [1e-10, 1e5]),
        (e.grad(&a).unwrap(), [1e20, 1e-25]),
        (e.grad(&b).unwrap(), [-1e10, -1e-20]),
    ] {
        for (yours, right) in yours.iter().zip(right) {
            near(&[yours / right], &[1.0], 1e-6);
        }
    }
}

pub fn a_mean_of_no_elements_is_nan<E: Engine>(e: &E) {
    let [mean, grad] =
        values_and_gradient(e, Call::Mean(vec![0], Keep::No), &[]);
    assert!(mean[0].is_nan(), "the mean of no elements is {mean:?}, not NaN");
    assert_eq!(grad, [0.0; 0]);
    let none = e.leaf(&[0, 3], &[]);
    let loss = e.call(&Call::CrossEntropy(vec![]), &[&none]).unwrap();
    assert!(e.values(&loss)[0].is_nan());
}

pub fn a_sum_of_no_elements_is_zero<E: Engine>(e: &E) {
    let none = e.leaf(&[2, 0], &[]);
    for (axes, zeros) in [(vec![0, 1], 1), (vec![1], 2), (vec![0], 0)] {
        let sum = e.call(&Call::Sum(axes, Keep::No), &[&none]).unwrap();
        let bits: Vec<u32> =
            e.values(&sum).iter().map(|x| x.to_bits()).collect();
        // Not -0, which would be printed as `-0`.
        assert_eq!(bits, vec![0; zeros]);
    }
}

pub fn a_matmul_over_an_empty_axis_is_zero<E: Engine>(e: &E) {
    let (a, b) = (e.leaf(&[2, 0], &[]), e.leaf(&[0, 3], &[]));
    let c = e.call(&Call::Matmul, &[&a, &b]).unwrap();
    assert_eq!(e.shape(&c), [2, 3]);
    assert_eq!(e.values(&c), [0.0; 6]);
    e.backward_with(&c, &[2, 3], &[1.0; 6]);
    assert_eq!(e.grad(&a).unwrap(), [0.0; 0]);
    assert_eq!(e.grad(&b).unwrap(), [0.0; 0]);
}

pub fn the_loss_of_equal_scores_is_the_log_of_the_number_of_classes<
    E: Engine,
>(
    e: &E,
) {
    let scores = e.leaf(&[2, 4], &[7.0; 8]);
    let loss = e.call(&Call::CrossEntropy(vec![3, 1]), &[&scores]).unwrap();
    assert_eq!(e.shape(&loss), [0; 0]);
    near(&e.values(&loss), &[4f32.ln()], 1e-6);
    e.backward(&loss);
    // The probability minus the target, divided by the number of rows.
    let (miss, hit) = (0.125, 0.125 - 0.5);
    let right = [miss, miss, miss, hit, miss, hit, miss, miss];
    near(&e.grad(&scores).unwrap(), &right, 1e-6);
}

pub fn the_loss_of_a_confident_answer_is_zero_or_its_margin<E: Engine>(e: &E) {
    let loss = |label: usize| {
        let scores = e.leaf(&[1, 2], &[1e4, -1e4]);
        let call = Call::CrossEntropy(vec![label]);
        let loss = e.call(&call, &[&scores]).unwrap();
        e.backward(&loss);
        (e.values(&loss)[0], e.grad(&scores).unwrap())
    };
    assert_eq!(loss(0), (0.0, vec![0.0, 0.0]));
    assert_eq!(loss(1), (2e4, vec![1.0, -1.0]));
}
