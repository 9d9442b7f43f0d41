use super::*;
use crate::elementwise::Unary;
use crate::ops::Keep;

fn numbers(values: &[f32]) -> Array {
    Array::new(&[values.len()], values)
}

fn slopes_of(op: &Op, inputs: &[Array], which: usize) -> Slopes {
    let ones = map(&forward(op, inputs), |_, _| 1.0);
    slopes(inputs, which, &ones, |inputs| forward(op, inputs))
}

#[test]
fn a_small_value_next_to_a_large_one_has_a_derivative() {
    let found = slopes_of(&Op::Add, &[numbers(&[1e-3]), numbers(&[1e15])], 0);
    assert!((found.values.values[0] - 1.0).abs() <= found.uncertainty(0));
    assert!(found.uncertainty(0) < 1e-3, "{found:?}");
    let found = slopes_of(&Op::Exp, &[numbers(&[1e-12, 20.0])], 0);
    assert!((found.values.values[0] - 1.0).abs() < 1e-5, "{found:?}");
}

#[test]
fn kinks_are_detected_and_minima_are_not_kinks() {
    let found = slopes_of(&Op::Relu, &[numbers(&[0.0, 1e-6, -3.0])], 0);
    let sides = found.kink(0).expect("a kink");
    assert!(sides[0].abs() < 1e-6 && (sides[1] - 1.0).abs() < 1e-6);
    assert_eq!([found.kink(1), found.kink(2)], [None, None]);
    assert!((found.values.values[1] - 1.0).abs() < 1e-5, "{found:?}");
    assert_eq!(found.values.values[2], 0.0);
    assert_eq!(found.noise.values[2], 0.0, "where nothing moves");
    let found = slopes_of(&Op::Pow(2.0), &[numbers(&[0.0])], 0);
    assert_eq!(found.kink(0), None, "{found:?}");
    // At the bound of `min`, where only one side has a slope.
    let ceiling = |at: &[Array]| map(&at[0], |_, x| x.min(1.0));
    let found = slopes(&[numbers(&[1.0])], 0, &numbers(&[1.0]), ceiling);
    assert!(found.kink(0).is_some(), "{found:?}");
}

#[test]
fn the_tolerance_of_matmul_grows_with_its_terms() {
    let ones = |shape: &[usize]| Array::new(shape, &[1.0; 1000]);
    let (a, b) = (Array::new(&[1, 1], &[1.0]), ones(&[1, 1000]));
    let zero = Array::new(&[1, 1], &[0.0]);
    let slopes = Slopes {
        values: zero.clone(),
        bend: zero.clone(),
        noise: zero,
        nudged: vec![0],
    };
    // The gradient of `a` is a sum of a thousand products of 1.
    let allowed = allowed(&Op::Matmul, &[a, b.clone()], 0, &b, &slopes);
    assert!(allowed.values[0] >= 1000.0 * rounding(1000), "{allowed:?}");
}

#[test]
fn log_softmax_magnitudes_include_the_row_sum() {
    let row = |x: f32| Array::new(&[1, 2], &[x, x]);
    let found = magnitudes(&Op::LogSoftmax, &[row(0.0)], 0, &row(1.0));
    // The probability of a half times the row sum of 2; the error of the
    // probability grows with its logarithm.
    let right = 1.0 + 0.5 * (1.0 + 2_f64.ln()) * 2.0;
    assert!((found.values[0] - right).abs() < 1e-12, "{found:?}");
}

#[test]
fn erf_magnitudes_include_the_argument() {
    let one = numbers(&[1.0]);
    let found = magnitudes(&Op::Unary(Unary::Erf), &[numbers(&[2.0])], 0, &one);
    let slope = std::f64::consts::FRAC_2_SQRT_PI * (-4_f64).exp();
    let right = slope + 1.0 + 2.0;
    assert!((found.values[0] - right).abs() < 1e-4, "{found:?}");
}

#[test]
fn sigmoid_magnitudes_include_the_subtraction() {
    let one = numbers(&[1.0]);
    let found = magnitudes(&Op::Sigmoid, &[numbers(&[0.0])], 0, &one);
    assert!((found.values[0] - (0.25 + 0.5)).abs() < 1e-4, "{found:?}");
}

#[test]
fn rounding_is_not_reported_as_a_kink() {
    let [slope, noise] = [0.0, 0.25].map(|x| numbers(&[x]));
    let mut bend = numbers(&[0.0]);
    for (size, is_kink) in [(1e-6 + 2.5, false), (2.6, true)] {
        bend.values[0] = size;
        let found = Slopes {
            values: slope.clone(),
            bend: bend.clone(),
            noise: noise.clone(),
            nudged: vec![0],
        };
        assert_eq!(found.kink(0).is_some(), is_kink, "{size}");
    }
}

/// The probabilities add up to 1, so a nudge changes their sum only by
/// rounding errors.
#[test]
fn rounding_alone_gives_a_derivative_of_0() {
    let of_all = |at: &[Array]| {
        let shares = forward(&Op::Softmax, at);
        reference::sum(&shares, &[])
    };
    let one = Array::new(&[], &[1.0]);
    let found = slopes(&[numbers(&[1.0, 2.0, 3.0])], 0, &one, of_all);
    assert_eq!(found.values.values, [0.0; 3], "{found:?}");
    assert!(found.noise.values.iter().all(|&noise| noise < 1e-9));
}

/// Large terms cancel in this sum, and a nudge of the second term is lost next
/// to 28. `cargo learn try` once reported a wrong gradient here.
#[test]
fn uncertainty_covers_canceling_terms() {
    let terms = numbers(&[27.905987, -8.972586e-7, -27.905987, 0.04029194]);
    let found = slopes_of(&Op::Sum(vec![0], Keep::No), &[terms], 0);
    for (i, slope) in found.values.values.iter().enumerate() {
        assert!((slope - 1.0).abs() <= found.uncertainty(i), "{found:?}");
        assert!(found.uncertainty(i) < 1e-4, "{found:?}");
    }
}

#[test]
fn a_missing_derivative_has_infinite_uncertainty() {
    let found = slopes_of(&Op::Pow(0.5), &[numbers(&[0.0])], 0);
    assert!(found.uncertainty(0).is_infinite(), "{found:?}");
}

/// The first number is rounded away in the sum with the second.
#[test]
fn a_term_lost_in_a_sum_has_its_derivative() {
    let swallowed = numbers(&[-1.6e-28, -3.0, 7.0, -4.0]);
    let sum = Op::Sum(vec![0], crate::ops::Keep::No);
    let found = slopes_of(&sum, &[swallowed], 0);
    for i in 0..4 {
        let off = (found.values.values[i] - 1.0).abs();
        assert!(off <= found.uncertainty(i) + 1e-9, "{found:?}");
    }
}

#[test]
fn huge_scores_have_the_derivatives_of_differences() {
    let scores = numbers(&[2_713_621_760.0, 2_713_621_760.0]);
    let weights = numbers(&[-2.3373137, 1.435142]);
    let found = slopes(&[scores], 0, &weights, |inputs| {
        forward(&Op::LogSoftmax, inputs)
    });
    let off = (found.values.values[0] + 1.8862278).abs();
    assert!(off <= found.uncertainty(0) + 1e-4, "{found:?}");
}

#[test]
fn zeros_do_not_extend_the_reach() {
    let (x, above) = (numbers(&[0.0, 2.0, 0.125]), numbers(&[0.0]));
    assert_eq!(reach(&Op::Log, std::slice::from_ref(&x), &above), 8.0);
    assert_eq!(reach(&Op::Exp, &[x], &above), 2.0);
    assert_eq!(reach(&Op::Exp, &[numbers(&[0.5])], &above), 1.0);
}

#[test]
fn magnitudes_are_per_element_if_nudged() {
    let (x, y) = (numbers(&[1.0, 2.0]), numbers(&[3.0, 4000.0]));
    let ones = numbers(&[1.0, 1.0]);
    let found = magnitudes(&Op::Mul, &[x, y], 0, &ones);
    for (found, right) in found.values.iter().zip([3.0, 4000.0]) {
        assert!((found / right - 1.0).abs() < 1e-3, "{found} of {right}");
    }
    let mut many = [1.0; 3000];
    many[1500..].fill(3.0);
    let found = magnitudes(
        &Op::Exp,
        &[numbers(&many)],
        0,
        &map(&numbers(&many), |_, _| 1.0),
    );
    let most = 3_f64.exp();
    for (i, found) in found.values.iter().enumerate() {
        assert!((0.99..1.01 * most).contains(found), "{i}: {found}");
    }
    assert!((found.values[1] / most - 1.0).abs() < 1e-3, "{found:?}");
}

#[test]
fn roundings_are_half_units_in_the_last_place() {
    assert_eq!(rounding(0), 16.0 / f64::from(1 << 24));
    assert_eq!(rounding(48), 64.0 / f64::from(1 << 24));
}

#[test]
fn large_operands_are_sampled_with_the_last_element() {
    let found = slopes_of(&Op::Exp, &[numbers(&[1.0; 3000])], 0);
    assert!((100..1000).contains(&found.nudged.len()));
    assert_eq!(found.nudged.last(), Some(&2999));
    let few = slopes_of(&Op::Exp, &[numbers(&[1.0; 500])], 0);
    assert_eq!(few.nudged.len(), 500);
}

#[test]
fn large_reductions_are_sampled() {
    let sum = Op::Sum(vec![0], crate::ops::Keep::No);
    let found = slopes_of(&sum, &[numbers(&[1.0; 3000])], 0);
    assert!((100..1000).contains(&found.nudged.len()));
}

#[test]
fn the_most_accurate_step_size_is_chosen() {
    // A short nudge is rounded away next to the large number, and for a long
    // one the curve bends.
    let ones = numbers(&[1.0]);
    let found = slopes(&[numbers(&[1.0])], 0, &ones, |inputs| {
        map(&inputs[0], |_, x| 1e8 + x * x)
    });
    assert!((found.values.values[0] - 2.0).abs() < 1e-3, "{found:?}");
    assert!(found.uncertainty(0) < 0.002, "{found:?}");
}

/// Computes the gradient of softmax for a row by its formula, in `f64`.
fn by_rule(row: &Array, weights: &Array) -> Vec<f64> {
    let shares = reference::log_softmax(row).values;
    let shares: Vec<f64> = shares.iter().map(|log| log.exp()).collect();
    let pairs = || shares.iter().zip(&weights.values);
    let met: f64 = pairs().map(|(share, weight)| share * weight).sum();
    pairs().map(|(share, weight)| share * (weight - met)).collect()
}

/// `cargo learn try` once reported wrong gradients for both: the first
/// multiplies a probability of 1e-14 by 1e27, and in the second softmax is
/// flat for a nudge of 1e22.
#[test]
fn uncertainty_covers_softmax_derivatives() {
    for (row, weights) in [
        ([64.0, 64.0, 49.0, 81.0], [0.0, -5.8e14, 6.2e27, 1.0]),
        ([25.5, 31.1, -2.6e27, -1.5e12], [-0.9994, -1.0, 1.0, 1.0]),
    ] {
        let [row, weights] = [&row, &weights].map(|a| numbers(a));
        let inputs = std::slice::from_ref(&row);
        let found =
            slopes(inputs, 0, &weights, |inputs| forward(&Op::Softmax, inputs));
        for (i, right) in by_rule(&row, &weights).iter().enumerate() {
            let error = (found.values.values[i] - right).abs();
            let known = found.uncertainty(i);
            assert!(error <= known, "{i}: {error:e} from {right:e}, {known:e}");
        }
    }
}

/// A nudge relative to 1 is long if all numbers are small.
#[test]
fn a_kink_near_a_small_value_is_avoided() {
    let found = slopes_of(&Op::Relu, &[numbers(&[-1e-17])], 0);
    assert_eq!((found.values.values[0], found.uncertainty(0)), (0.0, 0.0));
}

#[test]
fn softmax_magnitudes_are_added_per_row() {
    let (x, ones) = (numbers(&[0.0, 0.0]), numbers(&[1.0, 1.0]));
    let half = 0.5 * (1.0 + 2_f64.ln());
    let of = |op| magnitudes(&op, std::slice::from_ref(&x), 0, &ones).values;
    for found in of(Op::Softmax) {
        let right = half + half * 2.0 * half;
        assert!((found - right).abs() < 1e-12, "{found}, not {right}");
    }
    for found in of(Op::LogSoftmax) {
        let right = 1.0 + half * 2.0;
        assert!((found - right).abs() < 1e-12, "{found}, not {right}");
    }
    // Rows of a single element.
    let column = Array::new(&[2, 1], &[0.0, 0.0]);
    let ones = Array::new(&[2, 1], &[1.0, 1.0]);
    let found = magnitudes(&Op::LogSoftmax, &[column], 0, &ones);
    assert_eq!(found.values, [2.0, 2.0]);
}

#[test]
fn layer_norm_magnitudes_include_the_mean() {
    let of = |mean: f32, which| {
        let x = Array::new(&[1, 2], &[mean - 1.0, mean + 1.0]);
        let [ones, zeros] = [1.0, 0.0].map(|n| numbers(&[n, n]));
        let grads = Array::new(&[1, 2], &[1.0, 1.0]);
        let of = [x, ones, zeros];
        magnitudes(&Op::LayerNorm(0.0), &of, which, &grads).values
    };
    // `weighted` 1, its mean 1, and `size` 2 times a mean of 2 add up to 6;
    // the scaled maximum, 1, doubles the sum.
    assert_eq!(of(0.0, 0), [12.0, 12.0]);
    assert_eq!([of(0.0, 1), of(0.0, 2)], [[2.0, 2.0], [1.0, 1.0]]);
    // For the weight: the distance from the mean, 1, plus the maximum, 10.
    assert_eq!(of(9.0, 1), [11.0, 11.0]);
    assert!(of(9.0, 0)[0] > 1000.0);
}
