//! Bugs in single operations, each caught by a test of that operation.

use std::cell::RefCell;
use std::rc::Rc;

use ndarray::{ArrayD, Axis, Ix2};
use rungrad::ops::Keep;
use rungrad::part1_cpu::Tensor;

use super::buggy_part1::{Buggy, Wrong, with_rule};
use super::{failure, says};
use testkit::calls::Call;
use testkit::edges;
use testkit::spec;
use testkit::verdict::agrees;

/// Returns the message with which the test fails if the operation is wrong.
/// The same engine with the right operation passes.
fn caught(wrong: Wrong, property: fn(&Buggy)) -> String {
    property(&Buggy(|_, _| None));
    failure(|| property(&Buggy(wrong)))
}

/// For wrong rules that do not handle broadcasting, which is not the planted
/// bug.
fn equal(of: &[&Tensor]) -> bool {
    of.iter().all(|t| t.shape() == of[0].shape())
}

/// Promise: The specification catches swapped operands and names the cause.
#[test]
fn swapped_operands_are_caught_by_a_product() {
    let wrong: Wrong = |call, of| match call {
        Call::Mul if equal(of) => {
            with_rule(call, of, |of, g| vec![g * &of[0], g * &of[1]])
        }
        _ => None,
    };
    let said = caught(wrong, spec::one_product_has_the_gradients_3_and_2);
    says(&said, &["left: [2.0]", "right: [3.0]"]);
    let said = caught(wrong, |e| agrees(e, "mul"));
    says(&said, &["mul of [", "the gradient of operand 0", "by nudging"]);
}

#[test]
fn a_dropped_term_is_caught() {
    let said = caught(
        |call, of| match call {
            Call::Mul if equal(of) => {
                with_rule(call, of, |of, g| vec![g * &of[1], g * 0.0])
            }
            _ => None,
        },
        |e| agrees(e, "mul"),
    );
    says(
        &said,
        &[
            "the gradient of operand 1",
            "every element is zero: nothing was accumulated here",
        ],
    );
}

#[test]
fn a_missing_broadcast_sum_is_caught() {
    let said = caught(
        |call, of| match call {
            Call::Add => with_rule(call, of, |_, g| vec![g.clone(), g.clone()]),
            _ => None,
        },
        |e| agrees(e, "add"),
    );
    says(
        &said,
        &[
            "add: the gradient of operand",
            "a gradient has the shape of what it belongs to",
        ],
    );
}

#[test]
fn a_broadcast_sum_over_the_wrong_axis_is_caught() {
    // A row added to each row of a square matrix, so that the wrong sum has
    // the right shape.
    let said = caught(
        |call, of| match call {
            Call::Add if of[0].shape() == [2] => {
                with_rule(call, of, |_, g| vec![g.sum_axis(Axis(1)), g.clone()])
            }
            _ => None,
        },
        edges::a_broadcast_row_gets_the_sum_of_its_gradients,
    );
    says(&said, &["left: [3.0, 7.0]", "right: [4.0, 6.0]"]);
}

#[test]
fn a_wrong_sign_is_caught() {
    let sub: Wrong = |call, of| match call {
        Call::Sub if equal(of) => {
            with_rule(call, of, |_, g| vec![g.clone(), g.clone()])
        }
        _ => None,
    };
    let said = caught(sub, |e| agrees(e, "sub"));
    let words = ["the gradient of operand 1", "the sign is wrong everywhere"];
    says(&said, &words);

    let div: Wrong = |call, of| match call {
        Call::Div if equal(of) => with_rule(call, of, |of, g| {
            vec![g / &of[1], g * &of[0] / (&of[1] * &of[1])]
        }),
        _ => None,
    };
    says(&caught(div, |e| agrees(e, "div")), &words);
}

#[test]
fn a_missing_factor_is_caught() {
    let said = caught(
        |call, of| match call {
            Call::Pow(2.0) => with_rule(call, of, |of, g| vec![g * &of[0]]),
            _ => None,
        },
        |e| agrees(e, "pow"),
    );
    says(&said, &["Pow(2.0)", "every element is 0.5000 times the right one"]);
}

#[test]
fn a_derivative_of_the_operand_instead_of_the_result_is_caught() {
    // The derivatives of exp and tanh use the result.
    let exp: Wrong = |call, of| match call {
        Call::Each("exp") => with_rule(call, of, |of, g| vec![g * &of[0]]),
        _ => None,
    };
    says(&caught(exp, |e| agrees(e, "exp")), &["the gradient of operand 0"]);
    let tanh: Wrong = |call, of| match call {
        Call::Each("tanh") => {
            with_rule(call, of, |of, g| vec![g * &(1.0 - &of[0] * &of[0])])
        }
        _ => None,
    };
    says(&caught(tanh, |e| agrees(e, "tanh")), &["the gradient of operand 0"]);
}

#[test]
fn relu_with_a_gradient_at_zero_is_caught() {
    let said = caught(
        |call, of| match call {
            Call::Each("relu") => with_rule(call, of, |of, g| {
                vec![g * &of[0].mapv(|x| f32::from(x >= 0.0))]
            }),
            _ => None,
        },
        edges::relu_passes_no_gradient_at_zero,
    );
    says(&said, &["left: [0.0, 1.0, 1.0, 1.0]", "right: [0.0, 0.0, 0.0, 1.0]"]);
}

#[test]
fn relu_that_multiplies_by_zero_is_caught() {
    let said = caught(
        |call, of| match call {
            Call::Each("relu") => with_rule(call, of, |of, g| {
                vec![g * &of[0].mapv(|x| f32::from(x > 0.0))]
            }),
            _ => None,
        },
        edges::relu_stops_a_nan_gradient,
    );
    says(&said, &["left: [NaN, NaN, NaN]", "right: [0.0, 0.0, 0.0]"]);
}

#[test]
fn abs_with_a_derivative_at_zero_is_caught() {
    let said = caught(
        |call, of| match call {
            Call::Each("abs") => {
                with_rule(call, of, |of, g| vec![g * &of[0].mapv(f32::signum)])
            }
            _ => None,
        },
        edges::abs_has_no_slope_at_zero,
    );
    says(&said, &["left: [-1.0, -1.0, 1.0, 1.0]"]);
}

/// Returns the maximum of a vector, with a gradient for the elements that
/// `share` selects.
fn max(of: &[&Tensor], share: fn(usize) -> f32) -> Option<Tensor> {
    let call = Call::Max(vec![0], Keep::No);
    let one_axis = of[0].shape().len() == 1;
    let rule = move |of: &[ArrayD<f32>], g: &ArrayD<f32>| {
        let most = of[0].fold(f32::NEG_INFINITY, |most, x| most.max(*x));
        let mut met = 0;
        let grad = of[0].mapv(|x| {
            met += usize::from(x == most);
            if x == most { share(met) * g.sum() } else { 0.0 }
        });
        vec![grad]
    };
    if one_axis { with_rule(&call, of, rule) } else { None }
}

#[test]
fn max_that_does_not_split_ties_is_caught() {
    let all: Wrong = |call, of| match call {
        Call::Max(..) => max(of, |_| 1.0),
        _ => None,
    };
    let said = caught(all, edges::ties_of_max_share_the_gradient);
    let right = "right: [0.0, 2.0, 2.0, 0.0, 2.0, 0.0]";
    says(&said, &["left: [0.0, 6.0, 6.0, 0.0, 6.0, 0.0]", right]);
    let first: Wrong = |call, of| match call {
        Call::Max(..) => max(of, |met| f32::from(met == 1)),
        _ => None,
    };
    let said = caught(first, edges::ties_of_max_share_the_gradient);
    says(&said, &["left: [0.0, 6.0, 0.0, 0.0, 0.0, 0.0]", right]);
}

fn matrix(a: &ArrayD<f32>) -> ndarray::ArrayView2<'_, f32> {
    a.view().into_dimensionality::<Ix2>().expect("a matrix")
}

#[test]
fn a_transposed_matmul_gradient_is_caught() {
    // grad_b = g^T a has the shape of b if b is square.
    let elsewhere: Wrong = |call, of| match call {
        Call::Matmul if of[1].shape()[0] == of[1].shape()[1] => None,
        Call::Matmul => with_rule(call, of, |of, g| {
            let (a, b, g) = (matrix(&of[0]), matrix(&of[1]), matrix(g));
            vec![g.dot(&b.t()).into_dyn(), g.t().dot(&a).into_dyn()]
        }),
        _ => None,
    };
    let said = caught(elsewhere, |e| agrees(e, "matmul"));
    says(&said, &["matmul: the gradient of operand 1 has shape ["]);

    let where_square: Wrong = |call, of| match call {
        Call::Matmul if matches!(*of[1].shape(), [k, n] if k == n) => {
            with_rule(call, of, |of, g| {
                let (a, b, g) = (matrix(&of[0]), matrix(&of[1]), matrix(g));
                vec![g.dot(&b.t()).into_dyn(), g.t().dot(&a).into_dyn()]
            })
        }
        _ => None,
    };
    let said = caught(where_square, |e| agrees(e, "matmul"));
    says(&said, &["the gradient of operand 1", "the matrix is transposed"]);
}

#[test]
fn a_gradient_without_the_transposition_is_caught() {
    let said = caught(
        |call, of| match call {
            Call::Transpose if of[0].shape().iter().all(|n| *n > 1) => {
                with_rule(call, of, |of, g| {
                    let elements = g.iter().copied().collect();
                    let shape = of[0].raw_dim();
                    vec![ArrayD::from_shape_vec(shape, elements).unwrap()]
                })
            }
            _ => None,
        },
        |e| agrees(e, "transpose"),
    );
    says(&said, &["transpose of [", "the gradient of operand 0"]);
}

#[test]
fn a_sum_over_the_wrong_axis_is_caught() {
    let said = caught(
        |call, of| match call {
            Call::Sum(axes, keep) if !axes.is_empty() => {
                let last = of[0].shape().len() - 1;
                let axes: Vec<_> = axes.iter().map(|i| last - i).collect();
                Some(of[0].sum_over(&axes, *keep))
            }
            _ => None,
        },
        |e| agrees(e, "sum"),
    );
    // Caught by the shape or, if the shape fits, by the values.
    says(&said, &["Sum(["]);
}

#[test]
fn a_mean_divided_by_the_full_size_is_caught() {
    let said = caught(
        |call, of| match call {
            Call::Mean(axes, keep) => {
                let size: usize = of[0].shape().iter().product();
                Some(of[0].sum_over(axes, *keep) / size as f32)
            }
            _ => None,
        },
        |e| agrees(e, "mean"),
    );
    says(&said, &["Mean([", "element 0 is"]);
}

#[test]
fn a_summed_cross_entropy_is_caught() {
    let said = caught(
        |call, of| match call {
            Call::CrossEntropy(labels) => {
                Some(of[0].cross_entropy(labels) * labels.len() as f32)
            }
            _ => None,
        },
        edges::the_loss_of_equal_scores_is_the_log_of_the_number_of_classes,
    );
    says(&said, &["[2.7725887]", "[1.3862944]"]);
}

#[test]
fn a_softmax_that_overflows_is_caught() {
    let said = caught(
        |call, of| match call {
            Call::Softmax => {
                let shares = of[0].exp();
                let last = of[0].shape().len() - 1;
                Some(&shares / shares.sum_over(&[last], Keep::Yes))
            }
            _ => None,
        },
        edges::softmax_of_large_scores_is_exact,
    );
    says(&said, &["NaN", "is not within"]);
}

#[test]
fn a_log_softmax_that_loses_digits_is_caught() {
    // x - (max + log) instead of (x - max) - log.
    let said = caught(
        |call, of| match call {
            Call::LogSoftmax => {
                let last = [of[0].shape().len() - 1];
                let most = of[0].max_over(&last, Keep::Yes);
                let total = (of[0] - &most).exp().sum_over(&last, Keep::Yes);
                Some(of[0] - (most + total.log()))
            }
            _ => None,
        },
        edges::softmax_of_large_scores_is_exact,
    );
    says(&said, &["[-0.69335", "is not within 0.000001 of [-0.6931"]);
}

#[test]
fn a_sigmoid_that_overflows_is_caught() {
    let said = caught(
        |call, of| match call {
            Call::Each("sigmoid") => Some(of[0].exp() / (1.0 + of[0].exp())),
            _ => None,
        },
        edges::sigmoid_is_finite_far_out,
    );
    says(&said, &["NaN", "is not within"]);
}

#[test]
fn a_reshape_in_column_order_is_caught() {
    let said = caught(
        |call, of| match call {
            Call::Reshape(shape) if of[0].shape().len() == 2 => {
                Some(of[0].transpose().reshape(shape))
            }
            _ => None,
        },
        |e| agrees(e, "reshape"),
    );
    says(&said, &["Reshape([", "element 1 is"]);
}

#[test]
fn a_rule_that_keeps_its_own_result_alive_is_caught() {
    let wrong: Wrong = |call, of| match call {
        Call::Mul => {
            let own = Rc::new(RefCell::new(None::<Tensor>));
            let held = Rc::clone(&own);
            let out = with_rule(call, of, move |of, g| {
                let _result = held.borrow();
                vec![g * &of[1], g * &of[0]]
            });
            own.replace(out.clone());
            out
        }
        _ => None,
    };
    let said = caught(wrong, spec::no_node_is_left_after_a_step);
    says(&said, &["nodes that are not freed"]);
}
