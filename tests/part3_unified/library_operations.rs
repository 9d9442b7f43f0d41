//! Operations of the library that users of PyTorch expect, on every device:
//! their values, first and second derivatives against a definition in `f64`,
//! their edge values, and the sentences that reject a call.

use rungrad::gradcheck::dot;
use rungrad::nn::{
    GroupNorm, GruCell, Linear, LstmCell, Module, Parameters, RmsNorm,
};
use rungrad::ops::Keep;
#[cfg(feature = "engine")]
use rungrad::part3_unified::DType;
use rungrad::part3_unified::{Device, Tensor, grad};
use rungrad::reference::Array;
use rungrad::rng;
use rungrad::{Conv1dOptions, ConvOptions, attempt};

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

#[test]
fn negative_axes_count_from_the_end() {
    let _clean = clean();
    let x = tensor(&operand(&[2, 3, 4], &mut Random(2)), Device::Cpu);
    let values = |x: &Tensor| x.to_vec().unwrap();
    assert_eq!(x.swap_axes(-1, 0).shape(), [4, 3, 2]);
    assert_eq!(values(&x.split(3, -1)[1]), values(&x.split(3, 2)[1]));
    assert_eq!(values(&x.chunk(2, -2)[1]), values(&x.chunk(2, 1)[1]));
    assert_eq!(values(&x.roll(1, -1)), values(&x.roll(1, 2)));
    assert_eq!(x.sort(-1).unwrap().1, x.argsort(2).unwrap());
    assert_eq!(
        x.sort_descending(-2).unwrap().1,
        x.argsort_descending(1).unwrap()
    );
    assert_eq!(x.topk(2, -3).unwrap().1, x.topk(2, 0).unwrap().1);
    assert_eq!(
        x.min_with_indices(-1, Keep::No).unwrap().1,
        x.argmin_over(2).unwrap()
    );
    assert_eq!(
        x.max_with_indices(-1, Keep::No).unwrap().1,
        x.argmax_over(2).unwrap()
    );
    let first = x.slice((.., .., ..1));
    assert_eq!(
        values(&x.scatter(-1, &[1; 6], &first)),
        values(&x.scatter(2, &[1; 6], &first))
    );
    assert_eq!(
        values(&x.std_with_correction(&[-1], 0.0, Keep::No)),
        values(&x.std_with_correction(&[2], 0.0, Keep::No))
    );
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
    for axes in [1..1, 0..3, 3..3] {
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

/// Sums what the elements of an image add to one element of a transposed
/// convolution, for one group.
fn transposed(
    [image, filters]: [&Array; 2],
    at: &[usize],
    [stride, padding, dilation]: [usize; 3],
) -> f64 {
    let ([_, channels, h, w], [_, _, height, width]) = (
        <[usize; 4]>::try_from(&image.shape[..]).unwrap(),
        <[usize; 4]>::try_from(&filters.shape[..]).unwrap(),
    );
    let mut sum = 0.0;
    for c in 0..channels {
        for (y, x) in (0..h).flat_map(|y| (0..w).map(move |x| (y, x))) {
            for v in 0..height {
                for u in 0..width {
                    let to =
                        [y * stride + v * dilation, x * stride + u * dilation];
                    if to == [at[2] + padding, at[3] + padding] {
                        sum += element(image, &[at[0], c, y, x])
                            * element(filters, &[c, at[1], v, u]);
                    }
                }
            }
        }
    }
    sum
}

#[test]
fn convolutions_agree_with_their_definitions() {
    let _clean = clean();
    agree(&[
        Case {
            what: "conv1d",
            shapes: &[&[2, 2, 5], &[2, 1, 2], &[2]],
            call: |of| {
                let options = Conv1dOptions::new().stride(2).padding(1);
                let options = options.dilation(2).groups(2);
                of[0].conv1d(&of[1], Some(&of[2]), &options)
            },
            definition: |of| {
                fill(&[2, 2, 3], |at| {
                    let product = |i: usize| {
                        let from = (2 * at[2] + 2 * i).checked_sub(1);
                        from.filter(|&x| x < 5).map_or(0.0, |x| {
                            element(&of[0], &[at[0], at[1], x])
                                * element(&of[1], &[at[1], 0, i])
                        })
                    };
                    product(0) + product(1) + of[2].values[at[1]]
                })
            },
        },
        Case {
            what: "conv_transpose2d",
            shapes: &[&[1, 2, 2, 2], &[2, 1, 2, 2], &[1]],
            call: |of| {
                let (filters, bias) = (&of[1], Some(&of[2]));
                let options = ConvOptions::new();
                of[0].conv_transpose2d(filters, bias, &options, [0, 0])
            },
            definition: |of| {
                fill(&[1, 1, 3, 3], |at| {
                    transposed([&of[0], &of[1]], at, [1, 0, 1])
                        + of[2].values[0]
                })
            },
        },
        Case {
            what: "conv_transpose2d with all options",
            shapes: &[&[2, 1, 2, 2], &[1, 2, 2, 2]],
            call: |of| {
                let options = ConvOptions::new().stride([2, 2]);
                let options = options.padding([1, 1]).dilation([2, 2]);
                of[0].conv_transpose2d(&of[1], None, &options, [1, 1])
            },
            definition: |of| {
                fill(&[2, 2, 4, 4], |at| {
                    transposed([&of[0], &of[1]], at, [2, 1, 2])
                })
            },
        },
        Case {
            what: "conv_transpose2d in groups",
            shapes: &[&[1, 2, 1, 2], &[2, 2, 1, 2]],
            call: |of| {
                let options = ConvOptions::new().groups(2);
                of[0].conv_transpose2d(&of[1], None, &options, [0, 0])
            },
            definition: |of| {
                fill(&[1, 4, 1, 3], |at| {
                    let (group, output) = (at[1] / 2, at[1] % 2);
                    let product = |x: usize| {
                        let i = at[3].checked_sub(x).filter(|&i| i < 2);
                        i.map_or(0.0, |i| {
                            element(&of[0], &[0, group, 0, x])
                                * element(&of[1], &[group, output, 0, i])
                        })
                    };
                    product(0) + product(1)
                })
            },
        },
    ]);
}

/// A transposed convolution is the gradient of the convolution with the same
/// filters and options.
#[test]
fn a_transposed_convolution_is_a_gradient_of_a_convolution() {
    let _clean = clean();
    let options = ConvOptions::new().stride([2, 1]).padding([1, 0]);
    for device in all_devices() {
        let mut random = Random(3);
        let filters = tensor(&operand(&[3, 2, 3, 2], &mut random), device);
        let images = tensor(&operand(&[2, 2, 6, 4], &mut random), device);
        let images = images.requires_grad();
        let out = images.conv2d(&filters, None, &options);
        let above = tensor(&operand(out.shape(), &mut random), device);
        let loss = out.mul(&above).sum();
        let right = grad(&[&loss], &[&images], false).remove(0);
        let yours = above.conv_transpose2d(&filters, None, &options, [1, 0]);
        assert_eq!(yours.shape(), [2, 2, 6, 4]);
        let right = right.to_vec().unwrap();
        let right = Array::new(&[2, 2, 6, 4], &right);
        near(&yours, &right, 1e-5, "the gradient of conv2d");
    }
}

/// Interpolates linearly between the pixels of a row of the image.
fn linear(a: &Array, at: &[usize], axis: usize, position: f64) -> f64 {
    let pixels = line(a, at, axis);
    let low = position.floor().clamp(0.0, (pixels.len() - 1) as f64);
    let high = (low + 1.0).min((pixels.len() - 1) as f64);
    let part = (position - low).max(0.0);
    pixels[low as usize] * (1.0 - part) + pixels[high as usize] * part
}

#[test]
fn resized_images_agree_with_their_definitions() {
    let _clean = clean();
    agree(&[
        Case {
            what: "interpolate_nearest",
            shapes: &[&[1, 2, 2, 3]],
            call: |of| of[0].interpolate_nearest([5, 2]),
            definition: |of| {
                fill(&[1, 2, 5, 2], |at| {
                    let (row, column) = (at[2] * 2 / 5, at[3] * 3 / 2);
                    element(&of[0], &[0, at[1], row, column])
                })
            },
        },
        Case {
            what: "interpolate_bilinear",
            shapes: &[&[1, 1, 2, 3]],
            call: |of| of[0].interpolate_bilinear([4, 2], false),
            definition: |of| {
                let tall = fill(&[1, 1, 4, 3], |at| {
                    let position = (at[2] as f64 + 0.5) / 2.0 - 0.5;
                    linear(&of[0], &with(at, 2, 0), 2, position.max(0.0))
                });
                fill(&[1, 1, 4, 2], |at| {
                    let position = (at[3] as f64 + 0.5) * 1.5 - 0.5;
                    linear(&tall, at, 3, position)
                })
            },
        },
        Case {
            what: "interpolate_bilinear with aligned corners",
            shapes: &[&[1, 2, 3, 2]],
            call: |of| of[0].interpolate_bilinear([1, 4], true),
            definition: |of| {
                fill(&[1, 2, 1, 4], |at| {
                    linear(&of[0], &with(at, 3, 0), 3, at[3] as f64 / 3.0)
                })
            },
        },
    ]);
}

/// The example of PyTorch's `Upsample`.
#[test]
fn a_small_image_is_resized_as_in_pytorch() {
    let _clean = clean();
    for device in all_devices() {
        let x = Tensor::new(&[1, 1, 2, 2], &[1., 2., 3., 4.], device).unwrap();
        let right =
            [1., 1., 2., 2., 1., 1., 2., 2., 3., 3., 4., 4., 3., 3., 4., 4.];
        shows(&x.interpolate_nearest([4, 4]), &[1, 1, 4, 4], &right);
        let right = [
            1., 1.25, 1.75, 2., 1.5, 1.75, 2.25, 2.5, 2.5, 2.75, 3.25, 3.5, 3.,
            3.25, 3.75, 4.,
        ];
        let bilinear = x.interpolate_bilinear([4, 4], false);
        shows(&bilinear, &[1, 1, 4, 4], &right);
        let right = [
            1., 1.3333, 1.6667, 2., 1.6667, 2., 2.3333, 2.6667, 2.3333, 2.6667,
            3., 3.3333, 3., 3.3333, 3.6667, 4.,
        ];
        let aligned = x.interpolate_bilinear([4, 4], true);
        let right = Array::new(&[1, 1, 4, 4], &right);
        near(&aligned, &right, 5e-5, "with aligned corners");
    }
}

/// Computes the mean cross-entropy of rows with target probabilities, as
/// PyTorch defines class weights and label smoothing.
fn cross_entropy(scores: &Array, labels: &[usize], weights: &[f64]) -> f64 {
    const SMOOTHING: f64 = 0.2;
    let classes = weights.len();
    let (mut loss, mut total) = (0.0, 0.0);
    for (row, &label) in scores.values.chunks(classes).zip(labels) {
        let sum: f64 = row.iter().map(|x| x.exp()).sum();
        total += weights[label];
        for (class, score) in row.iter().enumerate() {
            let even = SMOOTHING / classes as f64;
            let hard = if class == label { 1.0 - SMOOTHING } else { 0.0 };
            loss -= (score - sum.ln()) * weights[class] * (even + hard);
        }
    }
    loss / total
}

#[test]
fn losses_with_options_agree_with_their_definitions() {
    let _clean = clean();
    agree(&[
        Case {
            what: "cross_entropy_with both options",
            shapes: &[&[3, 3]],
            call: |of| {
                let weights = Some(&[0.5, 2.0, 1.0][..]);
                of[0].cross_entropy_with(&[1, 0, 1], weights, 0.2)
            },
            definition: |of| {
                let weights = [0.5, 2.0, 1.0];
                fill(&[], |_| cross_entropy(&of[0], &[1, 0, 1], &weights))
            },
        },
        Case {
            what: "cross_entropy_with label smoothing",
            shapes: &[&[2, 3]],
            call: |of| of[0].cross_entropy_with(&[2, 0], None, 0.2),
            definition: |of| {
                fill(&[], |_| cross_entropy(&of[0], &[2, 0], &[1.0; 3]))
            },
        },
        Case {
            what: "bce_with_logits",
            shapes: &[&[2, 3], &[2, 3]],
            call: |of| of[0].bce_with_logits(&of[1]),
            definition: |of| {
                let pairs = of[0].values.iter().zip(&of[1].values);
                let loss = pairs.map(|(x, t)| {
                    let yes = 1.0 / (1.0 + (-x).exp());
                    -t * yes.ln() - (1.0 - t) * (1.0 - yes).ln()
                });
                let sum: f64 = loss.sum();
                fill(&[], |_| sum / 6.0)
            },
        },
    ]);
}

#[test]
fn losses_of_extreme_scores_are_finite() {
    let _clean = clean();
    for device in all_devices() {
        let x = Tensor::new(&[4], &[0., 1e4, -1e4, -1e4], device).unwrap();
        let x = x.requires_grad();
        let target = Tensor::new(&[4], &[1., 1., 0., 1.], device).unwrap();
        let loss = x.bce_with_logits(&target);
        let right = Array::new(&[], &[(2f32.ln() + 1e4) / 4.0]);
        near(&loss, &right, 1e-6, "bce_with_logits");
        loss.backward();
        shows(&x.grad().unwrap(), &[4], &[-0.125, 0., 0., -0.25]);
        // Without smoothing, a class that is ruled out has no influence.
        let scores = [0., 0., f32::NEG_INFINITY];
        let scores = Tensor::new(&[1, 3], &scores, device).unwrap();
        let loss = scores.cross_entropy_with(&[0], Some(&[1.; 3]), 0.0);
        near(&loss, &Array::new(&[], &[2f32.ln()]), 1e-6, "cross_entropy");
        let loss = scores.cross_entropy_with(&[0], None, 0.1);
        shows(&loss, &[], &[f32::INFINITY]);
    }
}

/// Normalizes a slice of elements, and returns one of them.
fn normalized(x: &[f64], i: usize, epsilon: f64) -> f64 {
    let mean = x.iter().sum::<f64>() / x.len() as f64;
    (x[i] - mean) / (variance(x, 0.0) + epsilon).sqrt()
}

#[test]
fn group_and_rms_norm_agree_with_their_definitions() {
    let _clean = clean();
    agree(&[
        Case {
            what: "group_norm",
            shapes: &[&[2, 4, 2], &[4], &[4]],
            call: |of| of[0].group_norm(2, &of[1], &of[2], 0.5),
            definition: |of| {
                fill(&[2, 4, 2], |at| {
                    let group = &of[0].values[at[0] * 8 + at[1] / 2 * 4..][..4];
                    let y = normalized(group, at[1] % 2 * 2 + at[2], 0.5);
                    y * of[1].values[at[1]] + of[2].values[at[1]]
                })
            },
        },
        Case {
            what: "rms_norm",
            shapes: &[&[2, 2, 2], &[2, 2]],
            call: |of| of[0].rms_norm(&of[1], 0.5),
            definition: |of| {
                fill(&[2, 2, 2], |at| {
                    let row = &of[0].values[at[0] * 4..][..4];
                    let squares: f64 = row.iter().map(|x| x * x).sum();
                    element(&of[0], at) / (squares / 4.0 + 0.5).sqrt()
                        * element(&of[1], &at[1..])
                })
            },
        },
    ]);
}

#[test]
fn normalization_layers_apply_their_parameters() {
    let _clean = clean();
    for device in all_devices() {
        let mut group = GroupNorm::new(1, 2);
        group.to(device).unwrap();
        let x = Tensor::new(&[1, 2], &[1., 3.], device).unwrap();
        near(
            &group.forward(&x),
            &Array::new(&[1, 2], &[-1., 1.]),
            1e-4,
            "GroupNorm",
        );
        assert_eq!(group.count(), 4);
        let mut rms = RmsNorm::new(2);
        rms.to(device).unwrap();
        let x = Tensor::new(&[1, 2], &[1., 7.], device).unwrap();
        let out = rms.forward(&x);
        near(&out, &Array::new(&[1, 2], &[0.2, 1.4]), 1e-6, "RmsNorm");
        out.sum().backward();
        assert!(rms.weight.grad().is_some());
        assert_eq!(format!("{group:?} {rms:?}"), "GroupNorm 1 [2] RmsNorm [2]");
    }
}

/// The derived operations keep the type of their operand.
#[cfg(feature = "engine")]
#[test]
fn operations_keep_the_type() {
    let _clean = clean();
    for dtype in [DType::F16, DType::F64] {
        let new = |shape: &[usize], values: &[f32]| {
            let x = Tensor::new(shape, values, Device::Cpu).unwrap();
            x.to_dtype(dtype).unwrap()
        };
        let x = new(&[1, 2], &[300., -300.]);
        let (one, zero) = (new(&[2], &[1., 1.]), new(&[2], &[0., 0.]));
        let image = new(&[1, 1, 1, 2], &[0., 6.]);
        for (yours, right) in [
            (x.rms_norm(&one, 0.0), &[1., -1.][..]),
            (x.group_norm(1, &one, &zero, 0.0).scale(0.0), &[0., 0.]),
            (x.sort(1).unwrap().0, &[-300., 300.]),
            (x.masked_fill(&one, 2.0), &[2., 2.]),
            (x.scatter(1, &[1], &new(&[1, 1], &[5.])), &[300., 5.]),
            (image.interpolate_bilinear([1, 3], true), &[0., 3., 6.]),
            (x.scale(0.0).bce_with_logits(&x.scale(0.0)).round(), &[1.]),
            (x.scale(0.0).cross_entropy_with(&[0], None, 0.5).round(), &[1.]),
            (x.randn_like(1).scale(0.0), &[0., 0.]),
            (x.rand_like(1).floor(), &[0., 0.]),
        ] {
            assert_eq!(yours.dtype(), dtype);
            let yours: Vec<f64> = yours.to_vec_of().unwrap();
            assert_eq!(yours, right);
        }
    }
}

#[test]
fn invalid_options_are_rejected() {
    let _clean = clean();
    let zeros = |shape: &[usize]| Tensor::zeros(shape, Device::Cpu).unwrap();
    let (x, filters) = (zeros(&[1, 2, 3, 3]), zeros(&[2, 1, 2, 2]));
    let transpose = |filters: &Tensor, options: ConvOptions, more| {
        attempt(|| x.conv_transpose2d(filters, None, &options, more))
            .unwrap_err()
            .to_string()
    };
    let options = ConvOptions::new();
    assert_eq!(
        refusal(|| x.conv1d(&filters, None, &Conv1dOptions::new())),
        "conv1d: sequences of shape [1, 2, 3, 3] and filters of shape [2, 1, \
         2, 2]; they must be (number, channels, length) and (filters, \
         channels per group, size)"
    );
    for (filters, groups, inputs) in
        [(&x, 1, 1), (&filters, 3, 2), (&filters, 0, 2)]
    {
        assert_eq!(
            transpose(filters, options.groups(groups), [0, 0]),
            format!(
                "conv_transpose2d: images of 2 channels and filters for \
                 {inputs} channels in {groups} groups; both need the same \
                 number of channels, divisible by the groups"
            )
        );
    }
    for (options, more) in [
        (options, [1, 0]),
        (options.stride([0, 1]), [0, 0]),
        (options.dilation([1, 0]), [0, 0]),
        (options.padding([2, 0]), [0, 0]),
    ] {
        let sentence = transpose(&filters, options, more);
        assert!(sentence.contains("give no result"), "{sentence}");
    }
    assert_eq!(
        refusal(|| x.conv_transpose2d(&filters, Some(&x), &options, [0, 0])),
        "conv_transpose2d: a bias of shape [1, 2, 3, 3] for 1 output \
         channels; it must be [1], one element for each"
    );
    assert_eq!(
        refusal(|| x.interpolate_nearest([0, 2])),
        "interpolate_nearest: images of [3, 3] to [0, 2]; both need at least \
         one pixel"
    );
    let scores = zeros(&[2, 2]);
    assert_eq!(
        refusal(|| scores.cross_entropy_with(&[0, 1], None, 1.5)),
        "cross_entropy_with: the label smoothing is 1.5; give a number from 0 \
         to 1"
    );
    assert_eq!(
        refusal(|| scores.cross_entropy_with(&[0, 1], Some(&[1.]), 0.0)),
        "cross_entropy_with: 1 class weights for 2 classes; give one for each \
         class"
    );
    for bad in [-1.0, f32::NAN, f32::INFINITY] {
        let weights = Some(&[1.0, bad][..]);
        assert_eq!(
            refusal(|| scores.cross_entropy_with(&[0, 1], weights, 0.0)),
            format!(
                "cross_entropy_with: the weight of class 1 is {bad}; give a \
                 finite number that is at least 0"
            )
        );
    }
    let right = "cross_entropy_with: the class weights of the 2 labels add up \
                 to 0; give at least one label a class with a weight above 0";
    let weights = Some(&[0.0, 1.0][..]);
    assert_eq!(
        refusal(|| scores.cross_entropy_with(&[0, 0], weights, 0.0)),
        right
    );
    assert_eq!(
        refusal(|| zeros(&[0, 2]).cross_entropy_with(&[], None, 0.0)),
        right.replace("the 2 labels", "the 0 labels")
    );
    assert!(
        refusal(|| scores.bce_with_logits(&x)).starts_with("bce_with_logits:")
    );
    let (two, three) = (zeros(&[2]), zeros(&[3]));
    assert_eq!(
        refusal(|| x.group_norm(3, &two, &two, 0.0)),
        "group_norm: shape [1, 2, 3, 3] in 3 groups; it must be (number, \
         channels, ..), with channels divisible by the groups"
    );
    assert_eq!(
        refusal(|| x.group_norm(2, &two, &three, 0.0)),
        "group_norm: a weight of shape [2] and a bias of shape [3] for 2 \
         channels; both must be [2]"
    );
    assert_eq!(
        refusal(|| x.rms_norm(&two, 0.0)),
        "rms_norm: a weight of shape [2] for [1, 2, 3, 3]; it must be as its \
         last axes"
    );
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Sums the weighted inputs and the weighted state for one gate.
fn gate(of: &[Array], row: usize, column: usize) -> [f64; 2] {
    [0, 1].map(|i| {
        let (values, weight) = (&of[i], &of[2 + i]);
        let terms = (0..values.shape[1]).map(|k| {
            element(values, &[row, k]) * element(weight, &[k, column])
        });
        terms.sum::<f64>() + 0.25
    })
}

fn cell_layer(weight: &Tensor) -> Linear {
    let bias = Tensor::full(&weight.shape()[1..], 0.25, weight.device());
    Linear { weight: weight.clone(), bias: bias.unwrap() }
}

/// The operands are the input, the state, and the weights of both.
#[test]
fn recurrent_cells_agree_with_their_definitions() {
    let _clean = clean();
    agree(&[
        Case {
            what: "GruCell",
            shapes: &[&[2, 1], &[2, 2], &[1, 6], &[2, 6]],
            call: |of| {
                let [input, hidden] = [&of[2], &of[3]].map(cell_layer);
                GruCell { input, hidden }.step(&of[0], &of[1])
            },
            definition: |of| {
                fill(&[2, 2], |at| {
                    let gate = |i: usize| gate(of, at[0], 2 * i + at[1]);
                    let [reset, update] =
                        [0, 1].map(|i| sigmoid(gate(i).iter().sum()));
                    let [x, h] = gate(2);
                    let candidate = (x + reset * h).tanh();
                    (1.0 - update) * candidate + update * element(&of[1], at)
                })
            },
        },
        Case {
            what: "LstmCell",
            shapes: &[&[1, 2], &[1, 2], &[2, 8], &[2, 8], &[1, 2]],
            call: |of| {
                let [input, hidden] = [&of[2], &of[3]].map(cell_layer);
                let layer = LstmCell { input, hidden };
                let (state, cell) = layer.step(&of[0], &of[1], &of[4]);
                state.add(&cell)
            },
            definition: |of| {
                fill(&[1, 2], |at| {
                    let sum = |i: usize| -> f64 {
                        gate(of, at[0], 2 * i + at[1]).iter().sum()
                    };
                    let kept = sigmoid(sum(1)) * element(&of[4], at);
                    let cell = kept + sigmoid(sum(0)) * sum(2).tanh();
                    cell + sigmoid(sum(3)) * cell.tanh()
                })
            },
        },
    ]);
}

#[test]
fn recurrent_cells_begin_with_a_state_of_zeros() {
    let _clean = clean();
    for device in all_devices() {
        let mut gru = GruCell::new(3, 4, &mut rng::Random::new(1));
        gru.to(device).unwrap();
        let x = Tensor::rand(&[2, 3], 1, device).unwrap();
        let zeros = Tensor::zeros(&[2, 4], device).unwrap();
        let right = gru.step(&x, &zeros).to_vec().unwrap();
        shows(&gru.forward(&x), &[2, 4], &right);
        let mut lstm = LstmCell::new(3, 4, &mut rng::Random::new(1));
        lstm.to(device).unwrap();
        let right = lstm.step(&x, &zeros, &zeros).0.to_vec().unwrap();
        shows(&lstm.forward(&x), &[2, 4], &right);
        assert_eq!(
            format!("{gru:?} {lstm:?}"),
            "GruCell [3, 12] LstmCell [3, 16]"
        );
        let names = lstm.parameters().into_iter().map(|(name, _)| name);
        let names: Vec<String> = names.collect();
        assert_eq!(
            names,
            ["input.weight", "input.bias", "hidden.weight", "hidden.bias"]
        );
        let weight = lstm.parameters()[0].1.abs().max().item().unwrap();
        assert!(weight <= 0.5, "{weight}");
    }
}
