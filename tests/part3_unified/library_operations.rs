//! Operations of the library that users of PyTorch expect, on every device:
//! their values, first and second derivatives against a definition in `f64`,
//! their edge values, and the sentences that reject a call.

use rungrad::attempt;
use rungrad::gradcheck::dot;
use rungrad::ops::Keep;
use rungrad::part3_unified::{Device, Tensor, grad};
use rungrad::reference::Array;

use super::derived::{element, fill, with};
use super::devices;
use super::second_derivatives::{
    SecondDerivativeCase, check_second_derivatives, slope,
};
use testkit::clean;
use testkit::random::Random;
use testkit::refusal::{mistake, refusal};

/// A call with the shapes of its operands, and its definition.
struct Case {
    what: &'static str,
    shapes: &'static [&'static [usize]],
    call: fn(&[Tensor]) -> Tensor,
    definition: fn(&[Array]) -> Array,
}

/// Returns every eager device, the plain ones and a registered one.
fn all_devices() -> Vec<Device> {
    [devices(), vec![Device::PlainCpu]].concat()
}

/// Returns elements from -2 to 2 in random order. They are at least 1/16
/// apart, so that no nudge of a finite difference changes their order.
fn operand(shape: &[usize], random: &mut Random) -> Array {
    let n: usize = shape.iter().product();
    let mut places: Vec<usize> = (0..n).collect();
    random.shuffle(&mut places);
    let step = 4.0 / n as f32;
    let value = |place: usize| (place as f32 + 0.5) * step - 2.0;
    Array::new(shape, &places.into_iter().map(value).collect::<Vec<_>>())
}

/// Compares values, first and second derivatives with the definition.
fn agree(cases: &[Case]) {
    for case in cases {
        let mut random = Random(1);
        let shapes = case.shapes.iter();
        let operands: Vec<Array> =
            shapes.map(|shape| operand(shape, &mut random)).collect();
        let right = (case.definition)(&operands);
        let weights = operand(&right.shape, &mut random);
        let loss = |of: &[Array]| dot(&(case.definition)(of), &weights);
        let slopes: Vec<Array> =
            (0..operands.len()).map(|i| slope(&operands, i, loss)).collect();
        for device in all_devices() {
            let what = format!("{} on {device}", case.what);
            let leaves: Vec<Tensor> = operands
                .iter()
                .map(|of| tensor(of, device).requires_grad())
                .collect();
            let out = (case.call)(&leaves);
            near(&out, &right, 1e-5, &what);
            let loss = out.mul(&tensor(&weights, device)).sum();
            let inputs: Vec<&Tensor> = leaves.iter().collect();
            for (i, first) in grad(&[&loss], &inputs, false).iter().enumerate()
            {
                let what = format!("{what}: the gradient of operand {i}");
                near(first, &slopes[i], 1e-4, &what);
            }
            check_second_derivatives(&SecondDerivativeCase {
                what,
                operands: &operands,
                constants: 0,
                device,
                call: &case.call,
                judge: &case.definition,
            });
        }
    }
}

fn tensor(of: &Array, device: Device) -> Tensor {
    let values: Vec<f32> = of.values.iter().map(|&x| x as f32).collect();
    Tensor::new(&of.shape, &values, device).unwrap()
}

#[track_caller]
fn near(yours: &Tensor, right: &Array, tolerance: f64, what: &str) {
    assert_eq!(yours.shape(), right.shape, "{what}");
    let allowed = |right: f64| tolerance * right.abs().max(1.0);
    for (yours, &right) in yours.to_vec().unwrap().iter().zip(&right.values) {
        let error = (f64::from(*yours) - right).abs();
        assert!(error <= allowed(right), "{what}: {yours}, not {right}");
    }
}

/// Compares the shape and the exact elements; NaN equals NaN.
#[track_caller]
fn shows(yours: &Tensor, shape: &[usize], right: &[f32]) {
    assert_eq!(yours.shape(), shape, "on {}", yours.device());
    let bits = |values: &[f32]| -> Vec<Option<f32>> {
        values.iter().map(|x| (!x.is_nan()).then_some(*x)).collect()
    };
    let values = yours.to_vec().unwrap();
    assert_eq!(bits(&values), bits(right), "on {}", yours.device());
}

/// Returns the elements along an axis through an index.
fn line(a: &Array, at: &[usize], axis: usize) -> Vec<f64> {
    let places = 0..a.shape[axis];
    places.map(|place| element(a, &with(at, axis, place))).collect()
}

fn sorted(mut values: Vec<f64>) -> Vec<f64> {
    values.sort_by(f64::total_cmp);
    values
}

#[test]
fn rearranged_axes_agree_with_their_definitions() {
    let _clean = clean();
    agree(&[
        Case {
            what: "flatten",
            shapes: &[&[2, 2, 3]],
            call: |of| of[0].flatten(1..),
            definition: |of| {
                fill(&[2, 6], |at| {
                    element(&of[0], &[at[0], at[1] / 3, at[1] % 3])
                })
            },
        },
        Case {
            what: "swap_axes",
            shapes: &[&[2, 3, 2]],
            call: |of| of[0].swap_axes(0, 1),
            definition: |of| {
                fill(&[3, 2, 2], |at| element(&of[0], &[at[1], at[0], at[2]]))
            },
        },
        Case {
            what: "split",
            shapes: &[&[2, 5]],
            call: |of| {
                let parts = of[0].split(2, 1);
                assert_eq!(parts.len(), 3);
                parts[1].mul(&parts[2])
            },
            definition: |of| {
                fill(&[2, 2], |at| {
                    element(&of[0], &[at[0], 2 + at[1]])
                        * element(&of[0], &[at[0], 4])
                })
            },
        },
        Case {
            what: "split_sizes",
            shapes: &[&[3, 2]],
            call: |of| of[0].split_sizes(&[0, 2, 1], 0).remove(1),
            definition: |of| fill(&[2, 2], |at| element(&of[0], at)),
        },
        Case {
            what: "chunk",
            shapes: &[&[2, 4]],
            call: |of| {
                let halves = of[0].chunk(2, 1);
                halves[0].mul(&halves[1])
            },
            definition: |of| {
                fill(&[2, 2], |at| {
                    element(&of[0], at) * element(&of[0], &[at[0], at[1] + 2])
                })
            },
        },
        Case {
            what: "roll",
            shapes: &[&[2, 3]],
            call: |of| of[0].roll(-4, 1),
            definition: |of| {
                fill(&[2, 3], |at| {
                    element(&of[0], &with(at, 1, (at[1] + 4) % 3))
                })
            },
        },
    ]);
}

#[test]
fn sorted_elements_agree_with_their_definitions() {
    let _clean = clean();
    agree(&[
        Case {
            what: "sort",
            shapes: &[&[3, 2]],
            call: |of| of[0].sort(0).unwrap().0,
            definition: |of| {
                fill(&[3, 2], |at| sorted(line(&of[0], at, 0))[at[0]])
            },
        },
        Case {
            what: "sort_descending",
            shapes: &[&[2, 3, 2]],
            call: |of| of[0].sort_descending(1).unwrap().0,
            definition: |of| {
                fill(&[2, 3, 2], |at| sorted(line(&of[0], at, 1))[2 - at[1]])
            },
        },
        Case {
            what: "topk",
            shapes: &[&[2, 4]],
            call: |of| of[0].topk(2, 1).unwrap().0,
            definition: |of| {
                fill(&[2, 2], |at| sorted(line(&of[0], at, 1))[3 - at[1]])
            },
        },
        Case {
            what: "max_with_indices",
            shapes: &[&[3, 2]],
            call: |of| of[0].max_with_indices(0, Keep::No).unwrap().0,
            definition: |of| {
                fill(&[2], |at| sorted(line(&of[0], &[0, at[0]], 0))[2])
            },
        },
        Case {
            what: "min_with_indices",
            shapes: &[&[2, 3]],
            call: |of| of[0].min_with_indices(1, Keep::Yes).unwrap().0,
            definition: |of| fill(&[2, 1], |at| sorted(line(&of[0], at, 1))[0]),
        },
    ]);
}

#[test]
fn written_elements_agree_with_their_definitions() {
    let _clean = clean();
    agree(&[
        Case {
            what: "scatter with an index that repeats",
            shapes: &[&[3, 2], &[2, 2]],
            call: |of| of[0].scatter(0, &[2, 0, 2, 1], &of[1]),
            definition: |of| {
                fill(&[3, 2], |at| match at {
                    [2, 0] => element(&of[1], &[1, 0]),
                    [0, 1] => element(&of[1], &[0, 1]),
                    [1, 1] => element(&of[1], &[1, 1]),
                    _ => element(&of[0], at),
                })
            },
        },
        Case {
            what: "masked_fill",
            shapes: &[&[2, 3]],
            call: |of| {
                let mask = [0., -2., 0.];
                let mask = Tensor::new(&[3], &mask, of[0].device());
                of[0].masked_fill(&mask.unwrap(), 7.0)
            },
            definition: |of| {
                fill(&[2, 3], |at| match at[1] {
                    1 => 7.0,
                    _ => element(&of[0], at),
                })
            },
        },
    ]);
}

fn variance(x: &[f64], correction: f64) -> f64 {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    let squares = x.iter().map(|x| (x - mean) * (x - mean));
    squares.sum::<f64>() / (x.len() as f64 - correction)
}

#[test]
fn corrected_variances_agree_with_their_definitions() {
    let _clean = clean();
    agree(&[
        Case {
            what: "var_with_correction",
            shapes: &[&[2, 3]],
            call: |of| of[0].var_with_correction(&[1], 0.0, Keep::No),
            definition: |of| {
                fill(&[2], |at| variance(&line(&of[0], &[at[0], 0], 1), 0.0))
            },
        },
        Case {
            what: "std_with_correction",
            shapes: &[&[4, 2]],
            call: |of| of[0].std_with_correction(&[0], 2.0, Keep::Yes),
            definition: |of| {
                fill(&[1, 2], |at| variance(&line(&of[0], at, 0), 2.0).sqrt())
            },
        },
    ]);
}

/// Ties, NaN and infinities, as PyTorch's `sort(stable=True)`, `topk`, `max`
/// and `min` with an axis order them.
#[test]
fn ties_and_nan_are_ordered_as_in_pytorch() {
    let _clean = clean();
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    for device in all_devices() {
        let new = |values: &[f32]| {
            Tensor::new(&[values.len()], values, device).unwrap()
        };
        let x = new(&[1., nan, -inf, 1., inf, 0.]);
        let (values, indices) = x.sort(0).unwrap();
        shows(&values, &[6], &[-inf, 0., 1., 1., inf, nan]);
        assert_eq!(indices, [2, 5, 0, 3, 4, 1]);
        assert_eq!(x.argsort(0).unwrap(), indices);
        let (values, indices) = x.sort_descending(0).unwrap();
        shows(&values, &[6], &[nan, inf, 1., 1., 0., -inf]);
        assert_eq!(indices, [1, 4, 0, 3, 5, 2]);
        assert_eq!(x.argsort_descending(0).unwrap(), indices);
        let (values, indices) = x.topk(3, 0).unwrap();
        shows(&values, &[3], &[nan, inf, 1.]);
        assert_eq!(indices, [1, 4, 0]);
        let (values, indices) = x.min_with_indices(0, Keep::No).unwrap();
        shows(&values, &[], &[nan]);
        assert_eq!((indices, x.argmin().unwrap()), (vec![1], 1));
        assert_eq!(x.max_with_indices(0, Keep::No).unwrap().1, [1]);

        // The whole gradient of a tie goes to the element that is returned.
        let x = new(&[2., 5., 5.]).requires_grad();
        x.max_with_indices(0, Keep::No).unwrap().0.backward();
        shows(&x.grad().unwrap(), &[3], &[0., 1., 0.]);
        let x = new(&[2., 2., 5.]).requires_grad();
        x.min_with_indices(0, Keep::No).unwrap().0.backward();
        shows(&x.grad().unwrap(), &[3], &[1., 0., 0.]);
        assert_eq!(x.argmin().unwrap(), 0);
    }
}

#[test]
fn indices_of_the_smallest_elements_follow_the_other_axes() {
    let _clean = clean();
    for device in all_devices() {
        let values = [4., 1., 3., 0., 2., 5., 9., 8., 7., 6., 6., 6.];
        let x = Tensor::new(&[2, 3, 2], &values, device).unwrap();
        assert_eq!(x.argmin_over(1).unwrap(), [2, 1, 2, 1]);
        assert_eq!(x.argmin_over(0).unwrap(), [0; 6]);
        let (values, indices) = x.min_with_indices(1, Keep::No).unwrap();
        shows(&values, &[2, 2], &[2., 0., 6., 6.]);
        assert_eq!(indices, [2, 1, 2, 1]);
    }
}

#[test]
fn empty_tensors_are_rearranged_as_in_pytorch() {
    let _clean = clean();
    for device in all_devices() {
        let empty = Tensor::zeros(&[0, 3], device).unwrap();
        let shapes = |parts: Vec<Tensor>| -> Vec<Vec<usize>> {
            parts.iter().map(|part| part.shape().to_vec()).collect()
        };
        assert_eq!(shapes(empty.split(2, 0)), [[0, 3]]);
        assert_eq!(shapes(empty.chunk(2, 0)), [[0, 3], [0, 3]]);
        assert_eq!(shapes(empty.chunk(2, 1)), [[0, 2], [0, 1]]);
        let six = Tensor::zeros(&[6], device).unwrap();
        assert_eq!(shapes(six.chunk(4, 0)), [[2], [2], [2]]);
        assert_eq!(shapes(six.split(9, 0)), [[6]]);
        assert_eq!(empty.roll(1, 0).shape(), [0, 3]);
        assert_eq!(empty.roll(1, 1).shape(), [0, 3]);
        assert_eq!(empty.flatten(..).shape(), [0]);
        assert_eq!(six.sum().flatten(..).shape(), [1]);
        assert_eq!(empty.sort(0).unwrap().0.shape(), [0, 3]);
        assert!(empty.sort(1).unwrap().1.is_empty());
        let (values, indices) = six.topk(0, 0).unwrap();
        assert_eq!((values.shape(), indices.len()), (&[0][..], 0));
        let none = Tensor::zeros(&[0, 2], device).unwrap();
        shows(&empty.scatter(0, &[], &none), &[0, 3], &[]);
        let mask = Tensor::ones(&[3], device).unwrap();
        shows(&empty.masked_fill(&mask, 1.0), &[0, 3], &[]);
    }
}

/// `n - correction` below 0 counts as 0, as in PyTorch.
#[test]
fn a_correction_can_be_as_large_as_the_count() {
    let _clean = clean();
    for device in all_devices() {
        let x = Tensor::new(&[2], &[1., 3.], device).unwrap();
        let var =
            |correction| x.var_with_correction(&[0], correction, Keep::No);
        shows(&var(0.0), &[], &[1.]);
        shows(&var(1.0), &[], &[2.]);
        shows(&var(0.5), &[], &[2. / 1.5]);
        shows(&var(2.0), &[], &[f32::INFINITY]);
        shows(&var(3.0), &[], &[f32::INFINITY]);
        let one = Tensor::new(&[1], &[5.], device).unwrap();
        shows(&one.var_with_correction(&[0], 0.0, Keep::No), &[], &[0.]);
        shows(&one.std_with_correction(&[0], 1.0, Keep::No), &[], &[f32::NAN]);
        // The derivative at a deviation of 0 is 0.
        let x = Tensor::new(&[2], &[3., 3.], device).unwrap().requires_grad();
        x.std_with_correction(&[0], 0.0, Keep::No).backward();
        shows(&x.grad().unwrap(), &[2], &[0., 0.]);
    }
}

#[test]
fn invalid_rearrangements_are_rejected() {
    let _clean = clean();
    let x = Tensor::zeros(&[2, 3], Device::Cpu).unwrap();
    for axes in [1..1, 0..3, 2..1] {
        assert_eq!(
            refusal(|| x.flatten(axes.clone())),
            format!(
                "flatten: the axes {axes:?} of shape [2, 3], which has 2 \
                 axes; give a range of adjacent axes, such as 1.."
            )
        );
    }
    for sentence in [
        refusal(|| x.swap_axes(0, 2)),
        refusal(|| x.split(1, 2)),
        refusal(|| x.chunk(1, 2)),
        refusal(|| x.roll(1, 2)),
        refusal(|| x.scatter(2, &[], &x)),
        refusal(|| x.var_with_correction(&[2], 0.0, Keep::No)),
        mistake("sort", x.sort(2)),
        mistake("topk", x.topk(1, 2)),
        mistake("argmin_over", x.argmin_over(2)),
        mistake("max_with_indices", x.max_with_indices(2, Keep::No)),
    ] {
        assert!(sentence.contains("there is no axis 2"), "{sentence}");
    }
    assert_eq!(
        refusal(|| x.split(0, 1)),
        "split: parts of 0 elements along axis 1 of shape [2, 3]; a part has \
         at least 1"
    );
    assert_eq!(
        refusal(|| x.chunk(0, 1)),
        "chunk: axis 1 of shape [2, 3] in 0 chunks; ask for at least 1"
    );
    assert_eq!(
        refusal(|| x.split_sizes(&[1, 1], 1)),
        "split_sizes: the sizes [1, 1] add up to 2, but axis 1 of shape [2, \
         3] has 3 elements; make the two equal"
    );
    assert_eq!(
        mistake("topk", x.topk(4, 1)),
        "topk: 4 elements along axis 1 of shape [2, 3], which has 3; ask for \
         at most 3"
    );
    let mask = Tensor::zeros(&[4, 2, 3], Device::Cpu).unwrap();
    assert_eq!(
        refusal(|| x.masked_fill(&mask, 0.0)),
        "masked_fill: a mask of shape [4, 2, 3] is larger than the tensor of \
         shape [2, 3]; expand the tensor first"
    );
    let none = Tensor::zeros(&[2, 0], Device::Cpu).unwrap();
    assert!(none.argmin().is_err() && none.argmin_over(1).is_err());
    assert!(none.min_with_indices(1, Keep::No).is_err());
    assert!(attempt(|| x.scatter(1, &[3, 0], &mask)).is_err());
}
