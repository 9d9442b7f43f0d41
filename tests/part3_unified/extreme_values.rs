//! Very large and very small values, and other element types: norms and
//! gradients whose squares overflow, and layers and losses in `f64` and `f16`.

use rungrad::attempt;
use rungrad::nn::{Dropout, Gpt, GptSizes, Module, Parameter, Parameters};
use rungrad::optim::clip_grad_norm;
use rungrad::part3_unified::{DType, Device, Keep, Tensor, grad};
use rungrad::rng::Random;

use super::special_values::{devices_and_lazy, same};
use super::training::eager_and_lazy;
use testkit::clean;

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;

/// Elements, their norm, and the derivatives with respect to them. The squares
/// in the first five rows overflow or underflow, where PyTorch 2.15 returns an
/// infinity or 0.
#[test]
fn a_norm_overflows_only_if_the_result_does() {
    let _clean = clean();
    type Row<'a> = (&'a [f32], f32, &'a [f32]);
    let rows: [Row; 9] = [
        (&[1e20; 4], 2e20, &[0.5; 4]),
        (&[-3e20, 4e20], 5e20, &[-0.6, 0.8]),
        (&[3e38, 1.0], 3e38, &[1.0, 0.0]),
        (&[1e-30; 4], 2e-30, &[0.5; 4]),
        (&[3e-30, -4e-30], 5e-30, &[0.6, -0.8]),
        (&[3e38; 4], INF, &[0.5; 4]),
        (&[0.0, -0.0], 0.0, &[0.0, 0.0]),
        (&[INF, 1.0], INF, &[NAN, 0.0]),
        (&[NAN, 1.0], NAN, &[NAN, NAN]),
    ];
    let near = |yours: f32, right: f32| {
        yours == right
            || (yours - right).abs() <= 1e-6 * right.abs() + f32::MIN_POSITIVE
            || (yours.is_nan() && right.is_nan())
    };
    for device in devices_and_lazy() {
        for (values, norm, slopes) in rows {
            let x = Tensor::new(&[values.len()], values, device).unwrap();
            let x = x.requires_grad();
            let yours = x.norm();
            let what = format!("{values:?} on {device}");
            let length = yours.item().unwrap();
            assert!(near(length, norm), "the norm of {what} is {length}");
            let yours = grad(&[&yours], &[&x], false).remove(0);
            let yours = yours.to_vec().unwrap();
            let all = yours.iter().zip(slopes);
            let is_right = all.into_iter().all(|(y, r)| near(*y, *r));
            assert!(is_right, "the derivatives of {what} are {yours:?}");
        }
        let rows = [3e30, 4e30, 0.0, 0.0, -5e-30, 12e-30];
        let rows = Tensor::new(&[3, 2], &rows, device).unwrap();
        let norms = rows.norm_over(&[1], Keep::No).to_vec().unwrap();
        let right = [5e30, 0.0, 13e-30];
        assert!(norms.iter().zip(right).all(|(y, r)| near(*y, r)), "{norms:?}");
        let none = Tensor::zeros(&[2, 0], device).unwrap();
        assert_eq!(none.norm_over(&[1], Keep::No).to_vec().unwrap(), [0.0; 2]);
    }
}

/// Dropping an element multiplies it by 0, as in PyTorch.
#[test]
fn dropout_multiplies_infinities_by_zero() {
    let _clean = clean();
    for device in devices_and_lazy() {
        let x = Tensor::new(&[4], &[1.0, INF, -INF, NAN], device).unwrap();
        let x = x.requires_grad();
        let out = Dropout::new(1.0, &mut Random::new(1)).forward(&x);
        same(&out, &[0.0, NAN, NAN, NAN], false, &format!("on {device}"));
        let slope = grad(&[&out.sum()], &[&x], false).remove(0);
        same(&slope, &[0.0; 4], false, &format!("its gradient on {device}"));
    }
}

/// For a large negative input, the result is -0 on a device whose exponential
/// overflows, as in PyTorch, and a subnormal number on others.
#[test]
fn silu_of_large_negative_values_is_tiny_or_0() {
    let _clean = clean();
    for device in devices_and_lazy() {
        let x = Tensor::new(&[2], &[-100.0, -1e30], device).unwrap();
        let y = x.silu().to_vec().unwrap();
        assert!((-4e-42..=0.0).contains(&y[0]), "{} on {device}", y[0]);
        assert!(y[1] == 0.0, "{} on {device}", y[1]);
    }
}

#[test]
fn gradients_of_any_magnitude_are_clipped() {
    let _clean = clean();
    let (nan, inf) = (f32::NAN, f32::INFINITY);
    let near = |yours: f32, right: f32| {
        (yours - right).abs() <= 2e-6 * right.abs()
            || yours == right
            || (yours.is_nan() && right.is_nan())
    };
    // Gradients, the maximum norm, the norm, and the clipped gradients.
    type Row = ([f32; 3], f32, f32, [f32; 3]);
    let rows: [Row; 8] = [
        ([3e25, 4e25, 0.0], 1.0, 5e25, [0.6, 0.8, 0.0]),
        ([3e-25, 4e-25, 0.0], 1.0, 5e-25, [3e-25, 4e-25, 0.0]),
        ([3.0, 4.0, 0.0], 0.0, 5.0, [0.0; 3]),
        ([3.0, 4.0, 0.0], inf, 5.0, [3.0, 4.0, 0.0]),
        ([0.0; 3], 1.0, 0.0, [0.0; 3]),
        ([inf, 1.0, 2.0], 1.0, inf, [nan, 0.0, 0.0]),
        ([inf, 1.0, 2.0], inf, inf, [nan; 3]),
        ([nan, 1.0, 2.0], 1.0, nan, [nan; 3]),
    ];
    for device in eager_and_lazy() {
        for (given, most, norm, right) in rows {
            let place = |at| Tensor::zeros(at, device).unwrap();
            let leaves = [place(&[2]), place(&[1, 1])];
            let leaves = leaves.map(|it| it.requires_grad());
            for (leaf, given) in leaves.iter().zip([&given[..2], &given[2..]]) {
                let given = Tensor::new(leaf.shape(), given, device).unwrap();
                leaf.backward_with(&given);
            }
            let named: Vec<Parameter> =
                leaves.iter().map(|it| (String::new(), it)).collect();
            let yours = clip_grad_norm(&named, most).item().unwrap();
            let what = format!("{given:?}, at most {most}, on {device}");
            assert!(near(yours, norm), "{what}: the norm is {yours}");
            let grads = leaves.iter().map(|it| it.grad().unwrap());
            let yours: Vec<f32> =
                grads.flat_map(|it| it.to_vec().unwrap()).collect();
            let mut pairs = yours.iter().zip(right);
            assert!(pairs.all(|(y, r)| near(*y, r)), "{what}: {yours:?}");
        }
    }
    for most in [-1.0, f32::NAN] {
        let refused = attempt(|| clip_grad_norm(&[], most)).unwrap_err();
        assert_eq!(
            refused.to_string(),
            format!(
                "clip_grad_norm: the largest norm is {most}; give a number \
                 that is at least 0"
            )
        );
    }
}

const OTHERS: [DType; 2] = [DType::F64, DType::F16];

/// Returns the devices that support types other than `f32`.
fn devices_with_other_types() -> Vec<Device> {
    let all = devices_and_lazy().into_iter();
    all.filter(|it| !matches!(it, Device::Custom(_) | Device::Plain(_)))
        .collect()
}

#[test]
fn dropout_drops_the_same_elements_in_every_type() {
    let _clean = clean();
    for device in devices_with_other_types() {
        let drop = |dtype: DType| {
            let x = Tensor::ones(&[8, 8], device).unwrap();
            let x = x.to_dtype(dtype).unwrap().requires_grad();
            let y = Dropout::new(0.5, &mut Random::new(1)).forward(&x);
            assert_eq!(y.dtype(), dtype);
            y.sum().backward();
            let y = y.to_dtype(DType::F32).unwrap().to_vec().unwrap();
            let grad = x.grad().unwrap().to_dtype(DType::F32).unwrap();
            assert_eq!(grad.to_vec().unwrap(), y, "{dtype} on {device}");
            y
        };
        let right = drop(DType::F32);
        assert!(right.contains(&0.0) && right.contains(&2.0), "{right:?}");
        for dtype in OTHERS {
            assert_eq!(drop(dtype), right, "{dtype} on {device}");
        }
    }
}

#[test]
fn weighted_cross_entropy_works_in_every_type() {
    let _clean = clean();
    for device in devices_with_other_types() {
        for (dtype, allowed) in OTHERS.into_iter().zip([1e-15, 1e-3]) {
            let scores = Tensor::zeros(&[2, 2], device).unwrap();
            let scores = scores.to_dtype(dtype).unwrap().requires_grad();
            let loss = scores.weighted_cross_entropy(&[0, 1], &[1.0, 2.0]);
            assert_eq!(loss.dtype(), dtype);
            loss.backward();
            let grad = scores.grad().unwrap().to_dtype(DType::F64).unwrap();
            let loss = loss.to_dtype(DType::F64).unwrap().to_vec_of::<f64>();
            let grad = grad.to_vec_of::<f64>().unwrap();
            let (sixth, third) = (1.0 / 6.0, 1.0 / 3.0);
            let right = [-sixth, sixth, third, -third];
            let what = format!("{dtype} on {device}");
            let error = (loss.unwrap()[0] - 2f64.ln()).abs();
            assert!(error <= allowed, "{what}: {error}");
            for (yours, right) in grad.iter().zip(right) {
                let error = (yours - right).abs();
                assert!(error <= allowed, "{what}: {grad:?}");
            }
        }
    }
}

/// In training with dropout, and when it generates tokens.
#[test]
fn a_gpt_works_in_every_type() {
    let _clean = clean();
    const SIZES: GptSizes = GptSizes {
        vocabulary: 5,
        context: 4,
        layers: 1,
        heads: 2,
        width: 8,
        dropout: 0.25,
    };
    let write = |dtype: DType| {
        let mut gpt = Gpt::new(SIZES, &mut Random::new(0));
        gpt.to_dtype(dtype).unwrap();
        let scores = gpt.scores(&[0, 1, 2, 3], 4);
        let loss =
            scores.weighted_cross_entropy(&[1, 2, 3, 4], &[1., 1., 1., 0.]);
        loss.backward();
        gpt.eval();
        gpt.generate(&[3, 4], 6, None, 0.0, &mut Random::new(1)).unwrap()
    };
    let right = write(DType::F32);
    assert_eq!(right.len(), 6);
    assert_eq!(write(DType::F64), right);
    assert_eq!(write(DType::F16), right);
}

#[test]
fn an_f16_norm_is_computed_in_f32() {
    let _clean = clean();
    for device in devices_with_other_types() {
        let new = |shape: &[usize], values: &[f32]| {
            let x = Tensor::new(shape, values, device).unwrap();
            x.to_dtype(DType::F16).unwrap().requires_grad()
        };
        let x = new(&[4], &[300.0, -300.0, 300.0, -300.0]);
        let norm = x.norm();
        assert_eq!(norm.dtype(), DType::F16);
        assert_eq!(norm.item().unwrap(), 600.0, "{device}");
        norm.backward();
        let grad = x.grad().unwrap().to_vec().unwrap();
        assert_eq!(grad, [0.5, -0.5, 0.5, -0.5], "{device}");
        // The sum of the squares exceeds 65504, the largest `f16`.
        let ones = new(&[70_225], &[1.0; 70_225]);
        assert_eq!(ones.norm().item().unwrap(), 265.0, "{device}");
    }
}
