//! Faults of single operations, each caught by a sentence about that
//! operation.

use std::cell::RefCell;
use std::rc::Rc;

use ndarray::{ArrayD, Axis, Ix2};
use rungrad::ops::Keep;
use rungrad::part1_cpu::Tensor;

use super::faulty::{Faulty, Wrong, with_rule};
use super::{failure, says};
use testkit::calls::Call;
use testkit::edges;
use testkit::spec;
use testkit::verdict::agrees;

/// The message with which the sentence fails when the operation is done
/// wrongly. The same engine with its own operation passes.
fn caught(wrong: Wrong, sentence: fn(&Faulty)) -> String {
    sentence(&Faulty(|_, _| None));
    failure(|| sentence(&Faulty(wrong)))
}

/// For faults in a rule that forgets about broadcasting, but not because of
/// that.
fn equal(of: &[&Tensor]) -> bool {
    of.iter().all(|t| t.shape() == of[0].shape())
}

/// Promise: The specification catches swapped operands and names the cause.
#[test]
fn swapped_operands_are_caught_by_the_first_product() {
    let wrong: Wrong = |call, of| match call {
        Call::Mul if equal(of) => {
            with_rule(call, of, |of, g| vec![g * &of[0], g * &of[1]])
        }
        _ => None,
    };
    let said = caught(wrong, spec::one_product_gives_3_and_2);
    says(&said, &["left: [2.0]", "right: [3.0]"]);
    let said = caught(wrong, |e| agrees(e, "mul"));
    says(&said, &["mul of [", "the gradient of operand 0", "by nudging"]);
}

#[test]
fn a_dropped_term_is_caught_by_the_judge() {
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
fn a_broadcast_sum_that_is_forgotten_is_caught_by_the_judge() {
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
fn a_broadcast_sum_over_the_wrong_axis_is_caught_by_a_row() {
    // A row that was added to each row of a square: the shape is right.
    let said = caught(
        |call, of| match call {
            Call::Add if of[0].shape() == [2] => {
                with_rule(call, of, |_, g| vec![g.sum_axis(Axis(1)), g.clone()])
            }
            _ => None,
        },
        edges::a_row_collects_what_its_copies_got,
    );
    says(&said, &["left: [3.0, 7.0]", "right: [4.0, 6.0]"]);
}

#[test]
fn a_wrong_sign_is_caught_by_the_judge() {
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
fn a_factor_that_is_missing_is_caught_by_the_judge() {
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
fn a_slope_from_the_operand_is_caught_by_the_judge() {
    // exp and tanh are their own witnesses: their slopes use the result.
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
fn relu_that_passes_at_zero_is_caught_at_zero() {
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
fn relu_that_multiplies_is_caught_by_an_infinite_gradient() {
    let said = caught(
        |call, of| match call {
            Call::Each("relu") => with_rule(call, of, |of, g| {
                vec![g * &of[0].mapv(|x| f32::from(x > 0.0))]
            }),
            _ => None,
        },
        edges::relu_stops_a_gradient_that_is_no_number,
    );
    says(&said, &["left: [NaN, NaN, NaN]", "right: [0.0, 0.0, 0.0]"]);
}

#[test]
fn abs_with_a_slope_at_zero_is_caught_at_zero() {
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

/// The largest of a vector, and the gradient for those that `wins` picks.
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
fn max_without_sharing_is_caught_by_a_tie() {
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
fn a_transposed_gradient_of_matmul_is_caught_by_the_judge() {
    // grad_b = g^T a has the shape of b where b is square.
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
fn a_gradient_that_is_not_transposed_back_is_caught_by_the_judge() {
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
    says(&said, &["Transpose of [", "the gradient of operand 0"]);
}

#[test]
fn a_sum_over_another_axis_is_caught_by_the_judge() {
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
    // By its shape, or where that fits by its numbers.
    says(&said, &["Sum(["]);
}

#[test]
fn a_mean_over_the_whole_is_caught_by_the_judge() {
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
fn a_loss_that_is_not_a_mean_is_caught_by_hand_numbers() {
    let said = caught(
        |call, of| match call {
            Call::CrossEntropy(labels) => {
                Some(of[0].cross_entropy(labels) * labels.len() as f32)
            }
            _ => None,
        },
        edges::even_scores_lose_the_logarithm_of_the_classes,
    );
    says(&said, &["[2.7725887]", "[1.3862944]"]);
}

#[test]
fn softmax_of_plain_exponentials_is_caught_by_large_scores() {
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
fn digits_lost_in_a_large_score_are_caught_by_large_scores() {
    // x - (most + log) where (x - most) - log is meant.
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
fn a_naive_sigmoid_is_caught_far_out() {
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
fn columns_read_as_rows_are_caught_by_the_judge() {
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
fn a_rule_that_holds_its_own_result_is_caught_by_its_nodes() {
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
    says(&said, &["nodes that nothing frees"]);
}
