//! The operations of Part 3 at kinks, ties, poles, -0, infinities and NaN.
//!
//! The expected values are those of PyTorch 2.15 for the same calls, with two
//! exceptions. For a product with a NaN, PyTorch returns NaN gradients,
//! whereas here each element has the product of the others. If the minimum
//! is NaN, PyTorch gives all elements a NaN gradient. In two cases our results
//! are more accurate, as rustdoc states: the derivative of `gelu_tanh` far
//! from 0, and a norm whose squares overflow or underflow.

use std::f32::consts::{FRAC_2_SQRT_PI, LN_2};

use rungrad::part3_unified::{Device, Keep, Tensor, grad};

use testkit::clean;
use testkit::device::gpu_or_skip;

const NAN: f32 = f32::NAN;
const INF: f32 = f32::INFINITY;

/// An operation with an operand, its result, and the gradient for an upstream
/// gradient of ones.
struct UnaryCase {
    name: &'static str,
    call: fn(&Tensor) -> Tensor,
    x: &'static [f32],
    out: &'static [f32],
    gradient: &'static [f32],
}

macro_rules! corners {
    ($($name:literal $call:expr, $x:expr, $out:expr, $gradient:expr;)*) => {
        const UNARY_CASES: &[UnaryCase] = &[$(UnaryCase {
            name: $name,
            call: $call,
            x: $x,
            out: $out,
            gradient: $gradient,
        }),*];
    };
}

corners! {
    "sqrt" |x| x.sqrt(), &[-0.0, 0.0, 4.0, INF, -1.0, -INF, NAN], &[-0.0, 0.0,
        2.0, INF, NAN, NAN, NAN], &[-INF, INF, 0.25, 0.0, NAN, NAN, NAN];
    "pow 0.5" |x| x.pow(0.5), &[-0.0, 0.0, 4.0, INF, -1.0, -INF, NAN], &[-0.0,
        0.0, 2.0, INF, NAN, NAN, NAN], &[-INF, INF, 0.25, 0.0, NAN, NAN, NAN];
    "pow 0" |x| x.pow(0.0), &[7.0, 0.0, INF, NAN], &[1.0; 4], &[0.0; 4];
    "pow 1" |x| x.pow(1.0), &[7.0, -0.0, INF, -INF, NAN], &[7.0, -0.0, INF,
        -INF, NAN], &[1.0; 5];
    "pow 2" |x| x.pow(2.0), &[7.0, -0.0, INF, -INF, NAN, -2.0], &[49.0, 0.0,
        INF, INF, NAN, 4.0], &[14.0, 0.0, INF, -INF, NAN, -4.0];
    "pow 3" |x| x.pow(3.0), &[7.0, -0.0, INF, -INF, NAN, -2.0], &[343.0, -0.0,
        INF, -INF, NAN, -8.0], &[147.0, 0.0, INF, INF, NAN, 12.0];
    "pow 4" |x| x.pow(4.0), &[7.0, -0.0, -2.0], &[2401.0, 0.0, 16.0],
        &[1372.0, 0.0, -32.0];
    "abs" |x| x.abs(), &[-3.0, -0.0, 0.0, 2.0, INF, -INF, NAN], &[3.0, 0.0,
        0.0, 2.0, INF, INF, NAN], &[-1.0, 0.0, 0.0, 1.0, 1.0, -1.0, 0.0];
    "gelu_tanh" |x| x.gelu_tanh(), &[8.0, 41.0, -41.0, 1e19, -1e19, 1e20,
        -1e20, 3e38, -3e38, INF, -INF, NAN], &[8.0, 41.0, -0.0, 1e19, -0.0,
        1e20, -0.0, 3e38, -0.0, INF, NAN, NAN], &[1.0, 1.0, 0.0, 1.0, 0.0, 1.0,
        0.0, 1.0, 0.0, NAN, NAN, NAN];
    "tan" |x| x.tan(), &[-1.0, -0.0, 0.0, 0.5, 1.5, NAN], &[-1.5574077, -0.0,
        0.0, 0.5463025, 14.101419, NAN], &[3.4255188, 1.0, 1.0, 1.2984464,
        199.85004, NAN];
    "erf" |x| x.erf(), &[-3.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.5, 100.0,
        -100.0, INF, -INF, NAN], &[-0.9999779, -0.8427008, -0.5204999, -0.0,
        0.0, 0.5204999, 0.8427008, 0.999593, 1.0, -1.0, 1.0, -1.0, NAN],
        &[0.00013925305, 0.41510752, 0.87878263, FRAC_2_SQRT_PI, FRAC_2_SQRT_PI,
        0.87878263, 0.41510752, 0.0021782843, 0.0, 0.0, 0.0, 0.0, NAN];
    "log1p" |x| x.log1p(), &[-1.0, -0.5, -0.0, 1.0e-10, 1.0, INF, -2.0, NAN],
        &[-INF, -LN_2, -0.0, 1.0e-10, LN_2, INF, NAN, NAN], &[INF,
        2.0, 1.0, 1.0, 0.5, 0.0, -1.0, NAN];
    "rsqrt" |x| x.rsqrt(), &[-0.0, 0.0, 4.0, INF, -1.0, NAN], &[-INF, INF, 0.5,
        0.0, NAN, NAN], &[INF, -INF, -0.0625, -0.0, NAN, NAN];
    "exp2" |x| x.exp2(), &[-0.0, 3.0, -1.0, 128.0, -200.0, INF, -INF, NAN],
        &[1.0, 8.0, 0.5, INF, 0.0, INF, 0.0, NAN], &[LN_2, 8.0 * LN_2,
        0.5 * LN_2, INF, 0.0, INF, 0.0, NAN];
    "log2" |x| x.log2(), &[-0.0, 0.0, 8.0, 1.0, 0.5, INF, -1.0, NAN], &[-INF,
        -INF, 3.0, 0.0, -1.0, INF, NAN, NAN], &[-INF, INF, 0.125 / LN_2,
        1.0 / LN_2, 2.0 / LN_2, 0.0, -1.0 / LN_2, NAN];
    "silu" |x| x.silu(), &[-3.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.5, 100.0,
        -100.0, INF, -INF, NAN], &[-0.14227761, -0.26894143, -0.18877034,
        -0.0, 0.0, 0.31122968, 0.7310586, 2.3103545, 100.0, -0.0, INF, NAN,
        NAN], &[-0.08810411, 0.072329484, 0.26003882, 0.5, 0.5, 0.7399612,
        0.92767054, 1.0994011, 1.0, -0.0, NAN, NAN, NAN];
    "elu" |x| x.elu(0.5), &[-3.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0, 2.5,
        100.0, -100.0, INF, -INF, NAN, -0.0001], &[-0.47510648, -0.31606027,
        -0.19673467, -0.0, 0.0, 0.5, 1.0, 2.5, 100.0, -0.5, INF, -0.5, NAN,
        -0.0000499975], &[0.024893533, 0.18393973, 0.30326533, 0.5, 0.5, 1.0,
        1.0, 1.0, 1.0, 2.0e-44, 1.0, 0.0, 1.0, 0.49995];
    "leaky_relu" |x| x.leaky_relu(0.25), &[-3.0, -1.0, -0.5, -0.0, 0.0, 0.5,
        1.0, 2.5, 100.0, -100.0, INF, -INF, NAN], &[-0.75, -0.25, -0.125,
        -0.0, 0.0, 0.5, 1.0, 2.5, 100.0, -25.0, INF, -INF, NAN], &[0.25,
        0.25, 0.25, 0.25, 0.25, 1.0, 1.0, 1.0, 1.0, 0.25, 1.0, 0.25, 0.25];
    "softplus" |x| x.softplus(), &[-3.0, -1.0, -0.5, -0.0, 0.0, 0.5, 1.0,
        2.5, 100.0, -100.0, INF, -INF, NAN, 20.0, 21.0], &[0.048587352,
        0.3132617, 0.474077, LN_2, LN_2, 0.974077, 1.3132616,
        2.5788898, 100.0, 3.8e-44, INF, 0.0, NAN, 20.0, 21.0], &[0.047425874,
        0.26894143, 0.37754068, 0.5, 0.5, 0.62245935, 0.7310586, 0.9241418,
        1.0, 3.8e-44, 1.0, 0.0, NAN, 1.0, 1.0];
    "log_sigmoid" |x| x.log_sigmoid(), &[-3.0, -1.0, -0.5, -0.0, 0.0, 0.5,
        1.0, 2.5, 100.0, -100.0, INF, -INF, NAN], &[-3.0485873, -1.3132617,
        -0.974077, -LN_2, -LN_2, -0.474077, -0.3132617,
        -0.078889735, -3.9e-44, -100.0, 0.0, -INF, NAN], &[0.95257413,
        0.7310586, 0.6224593, 0.5, 0.5, 0.37754068, 0.26894143, 0.075858176,
        3.8e-44, 1.0, 0.0, 1.0, NAN];
    "floor" |x| x.floor(), &[-2.5, -1.5, -0.5, -0.0, 0.5, 1.5, 2.5, INF, NAN,
        0.3], &[-3.0, -2.0, -1.0, -0.0, 0.0, 1.0, 2.0, INF, NAN, 0.0], &[0.0,
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    "ceil" |x| x.ceil(), &[-2.5, -1.5, -0.5, -0.0, 0.5, 1.5, 2.5, INF, NAN,
        0.3], &[-2.0, -1.0, -0.0, -0.0, 1.0, 2.0, 3.0, INF, NAN, 1.0], &[0.0,
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    "round" |x| x.round(), &[-2.5, -1.5, -0.5, -0.0, 0.5, 1.5, 2.5, INF, NAN,
        0.3], &[-2.0, -2.0, -0.0, -0.0, 0.0, 2.0, 2.0, INF, NAN, 0.0], &[0.0,
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    "sign" |x| x.sign(), &[-2.5, -1.5, -0.5, -0.0, 0.5, 1.5, 2.5, INF, NAN,
        0.3], &[-1.0, -1.0, -1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 1.0], &[0.0,
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    // Before version 2.15, PyTorch had a derivative of 1 at the ends.
    "clamp" |x| x.clamp(-1.0, 2.0), &[-3.0, -1.0, 0.0, 2.0, 5.0], &[-1.0, -1.0,
        0.0, 2.0, 2.0], &[0.0, 1.0, 1.0, 1.0, 0.0];
    "clamp" |x| x.clamp(-1.0, 1.0), &[-2.0, -1.0, -0.0, 0.5, 1.0, 3.0, INF,
        -INF, NAN], &[-1.0, -1.0, -0.0, 0.5, 1.0, 1.0, 1.0, -1.0, NAN],
        &[0.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
    "clamp" |x| x.clamp(0.5, 0.5), &[-2.0, 0.5, 1.0], &[0.5; 3], &[0.0, 1.0,
        0.0];
    "min" |x| x.min_over(&[0], Keep::No), &[2.0, 1.0, 1.0, 3.0], &[1.0],
        &[0.0, 0.5, 0.5, 0.0];
    "prod" |x| x.prod(), &[2.0, 3.0, 4.0], &[24.0], &[12.0, 8.0, 6.0];
    "prod" |x| x.prod(), &[2.0, 0.0, 4.0], &[0.0], &[0.0, 8.0, 0.0];
    "prod" |x| x.prod(), &[0.0, 3.0, -0.0, 5.0], &[-0.0], &[0.0, 0.0, 0.0,
        0.0];
    "prod" |x| x.prod(), &[], &[1.0], &[];
    "var" |x| x.var(), &[1.0, 2.0, 6.0], &[7.0], &[-2.0, -1.0, 3.0];
    "var" |x| x.var(), &[5.0, 5.0], &[0.0], &[0.0, 0.0];
    "var" |x| x.var(), &[5.0], &[NAN], &[NAN];
    "std" |x| x.std(), &[1.0, 2.0, 6.0], &[2.6457512], &[-0.3779645,
        -0.18898225, 0.56694674];
    "std" |x| x.std(), &[5.0, 5.0, 5.0], &[0.0], &[0.0, 0.0, 0.0];
    "norm" |x| x.norm(), &[3.0, -4.0], &[5.0], &[0.6, -0.8];
    "norm" |x| x.norm(), &[0.0, -0.0], &[0.0], &[0.0, 0.0];
    "norm" |x| x.norm(), &[NAN, 1.0], &[NAN], &[NAN, NAN];
    "logsumexp" |x| x.logsumexp(), &[1.0, 2.0, 3.0], &[3.407606],
        &[0.09003058, 0.24472849, 0.665241];
    "logsumexp" |x| x.logsumexp(), &[10.0, 9.0], &[10.313262], &[0.7310586,
        0.26894143];
    "logsumexp" |x| x.logsumexp(), &[-INF, 0.0], &[0.0], &[0.0, 1.0];
    "logsumexp" |x| x.logsumexp(), &[INF, 0.0], &[INF], &[NAN, 0.0];
    "logsumexp" |x| x.logsumexp(), &[-INF, -INF], &[-INF], &[NAN, NAN];
    "cumsum" |x| x.cumsum(0), &[1.0, 2.0, -4.0, 0.5, 7.0], &[1.0, 3.0, -1.0,
        -0.5, 6.5], &[5.0, 4.0, 3.0, 2.0, 1.0];
    "cumsum" |x| x.cumsum(0), &[1.0, INF, 2.0, NAN, 3.0], &[1.0, INF, INF,
        NAN, NAN], &[5.0, 4.0, 3.0, 2.0, 1.0];
    "cumsum" |x| x.cumsum(0), &[], &[], &[];
}

/// The same for a binary operation.
struct BinaryCase {
    name: &'static str,
    call: fn(&Tensor, &Tensor) -> Tensor,
    a: &'static [f32],
    b: &'static [f32],
    out: &'static [f32],
    grad_a: &'static [f32],
    grad_b: &'static [f32],
}

const BINARY_CASES: &[BinaryCase] = &[
    BinaryCase {
        name: "maximum",
        call: Tensor::maximum,
        a: &[1.0, 2.0, 3.0, -0.0, 0.0, NAN, 1.0, NAN, INF, -INF],
        b: &[2.0, 1.0, 3.0, 0.0, -0.0, 1.0, NAN, NAN, INF, INF],
        out: &[2.0, 2.0, 3.0, -0.0, 0.0, NAN, NAN, NAN, INF, INF],
        grad_a: &[0.0, 1.0, 0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 0.5, 0.0],
        grad_b: &[1.0, 0.0, 0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 0.5, 1.0],
    },
    BinaryCase {
        name: "minimum",
        call: Tensor::minimum,
        a: &[1.0, 2.0, 3.0, -0.0, 0.0, NAN, 1.0, NAN, INF, -INF],
        b: &[2.0, 1.0, 3.0, 0.0, -0.0, 1.0, NAN, NAN, INF, INF],
        out: &[1.0, 1.0, 3.0, -0.0, 0.0, NAN, NAN, NAN, INF, -INF],
        grad_a: &[1.0, 0.0, 0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 0.5, 1.0],
        grad_b: &[0.0, 1.0, 0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 0.5, 0.0],
    },
    BinaryCase {
        name: "pow_tensor",
        call: Tensor::pow_tensor,
        a: &[
            2.0, 4.0, 0.0, 0.0, 0.0, 0.0, -0.0, -2.0, -2.0, NAN, 2.0, 1.0, INF,
            -1.5,
        ],
        b: &[
            3.0, 0.5, 0.0, 1.0, 2.0, -1.0, 3.0, 2.0, 0.5, 0.0, NAN, NAN, 2.0,
            0.0,
        ],
        out: &[
            8.0, 2.0, 1.0, 0.0, 0.0, INF, -0.0, 4.0, NAN, 1.0, NAN, 1.0, INF,
            1.0,
        ],
        grad_a: &[
            12.0, 0.25, 0.0, 1.0, 0.0, -INF, 0.0, -4.0, NAN, 0.0, NAN, NAN,
            INF, 0.0,
        ],
        grad_b: &[
            5.5451775, 2.7725887, 0.0, 0.0, 0.0, -INF, 0.0, NAN, NAN, NAN, NAN,
            0.0, INF, NAN,
        ],
    },
];

fn devices() -> Vec<Device> {
    let lazy = cfg!(feature = "lazy").then_some(Device::FusedCpu);
    super::devices().into_iter().chain(lazy).collect()
}

/// Returns all devices, including the lazy OpenCL devices, for which the
/// driver compiles one kernel per expression.
pub(super) fn devices_and_lazy() -> Vec<Device> {
    let mut all = devices();
    let gpus = gpu_or_skip().map_or(0, |_| Device::count());
    if cfg!(feature = "lazy") {
        all.extend((0..gpus).map(Device::Fused));
    }
    all
}

/// The unary cases that run on the lazy OpenCL devices too.
const LAZY: [&str; 4] = ["sqrt", "pow 2", "abs", "gelu_tanh"];

/// PyTorch returns a 0 of the opposite sign here, which makes no difference.
const UNSIGNED: &str = "log_sigmoid";

#[track_caller]
pub(super) fn same(yours: &Tensor, right: &[f32], signed: bool, what: &str) {
    let yours = yours.to_vec().unwrap();
    assert_eq!(yours.len(), right.len(), "{what}");
    for (i, (&yours, &right)) in yours.iter().zip(right).enumerate() {
        let near = (yours - right).abs() <= 2e-6 * right.abs().max(1.0);
        let zeros = yours == 0.0 && right == 0.0;
        let sign_differs =
            zeros && yours.is_sign_negative() != right.is_sign_negative();
        let same = yours == right || (yours.is_nan() && right.is_nan());
        assert!(
            (near || same) && !(signed && sign_differs),
            "{what}: element {i} is {yours:?}, not {right:?}"
        );
    }
}

/// Promise: Unary operations of Part 3 have the values and derivatives of
/// PyTorch at kinks, poles, -0, infinities and NaN.
#[test]
fn unary_special_values_agree_with_pytorch() {
    let _clean = clean();
    for device in devices_and_lazy() {
        let is_all = !matches!(device, Device::Fused(_));
        for corner in UNARY_CASES {
            if !is_all && !LAZY.contains(&corner.name) {
                continue;
            }
            let what = format!("{} of {:?} on {device}", corner.name, corner.x);
            let x = Tensor::new(&[corner.x.len()], corner.x, device).unwrap();
            let x = x.requires_grad();
            let out = (corner.call)(&x);
            let signed = corner.name != UNSIGNED;
            same(&out, corner.out, signed, &what);
            let gradient = grad(&[&out.sum()], &[&x], false).remove(0);
            same(
                &gradient,
                corner.gradient,
                false,
                &format!("gradient of {what}"),
            );
        }
    }
}

/// Promise: Binary operations of Part 3 have the values and derivatives of
/// PyTorch at ties, poles, -0, infinities and NaN.
#[test]
fn binary_special_values_agree_with_pytorch() {
    let _clean = clean();
    for device in devices() {
        for pair in BINARY_CASES {
            let what = format!("{} on {device}", pair.name);
            let [a, b] = [pair.a, pair.b].map(|values| {
                let x = Tensor::new(&[values.len()], values, device);
                x.unwrap().requires_grad()
            });
            let out = (pair.call)(&a, &b);
            same(&out, pair.out, false, &what);
            let slopes = grad(&[&out.sum()], &[&a, &b], false);
            same(&slopes[0], pair.grad_a, false, &format!("{what}: a"));
            same(&slopes[1], pair.grad_b, false, &format!("{what}: b"));
            // Each operand has the same gradient if the other requires none.
            let alone = (pair.call)(&a, &b.detach()).sum();
            let [of_a] = &grad(&[&alone], &[&a], false)[..] else { panic!() };
            same(of_a, pair.grad_a, false, &format!("{what}: a alone"));
            let alone = (pair.call)(&a.detach(), &b).sum();
            let [of_b] = &grad(&[&alone], &[&b], false)[..] else { panic!() };
            same(of_b, pair.grad_b, false, &format!("{what}: b alone"));
        }
    }
}

/// Promise: `argmax` returns the first of equal elements and treats NaN as the
/// largest, as PyTorch does.
#[test]
fn argmax_takes_the_first_maximum_and_prefers_nan() {
    let _clean = clean();
    for device in devices() {
        let of = |shape: &[usize], values: &[f32]| {
            Tensor::new(shape, values, device).unwrap()
        };
        assert_eq!(of(&[4], &[1.0, 3.0, 3.0, 2.0]).argmax().unwrap(), 1);
        assert_eq!(of(&[4], &[1.0, NAN, 9.0, NAN]).argmax().unwrap(), 1);
        assert_eq!(of(&[2], &[-INF, -INF]).argmax().unwrap(), 0);
        assert_eq!(of(&[], &[5.0]).argmax().unwrap(), 0);
        let cube: Vec<f32> = (0..24).map(|i| (i * 7 % 24) as f32).collect();
        let cube = of(&[2, 3, 4], &cube);
        assert_eq!(cube.argmax_over(0).unwrap(), argmax_by_hand(&cube, 0));
        assert_eq!(cube.argmax_over(1).unwrap(), argmax_by_hand(&cube, 1));
        assert_eq!(cube.argmax_over(2).unwrap(), argmax_by_hand(&cube, 2));
        let turned = cube.permute(&[2, 0, 1]);
        assert_eq!(turned.argmax_over(0).unwrap(), argmax_by_hand(&cube, 2));
    }
}

/// Compares each slice with the maximum of its line.
fn argmax_by_hand(x: &Tensor, axis: usize) -> Vec<usize> {
    let most = x.max_over(&[axis], Keep::Yes);
    let mut indices = vec![0; most.len()];
    for place in 0..x.shape()[axis] {
        let mut part: Vec<_> = x.shape().iter().map(|&n| 0..n).collect();
        part[axis] = place..place + 1;
        let is_it = x.slice(&part).eq(&most).to_vec().unwrap();
        for (found, is_it) in indices.iter_mut().zip(is_it) {
            if is_it == 1.0 {
                *found = place;
            }
        }
    }
    indices
}

/// The error bound of sums holds for the cumulative sum too.
///
/// Promise: The cumulative sum of one million elements errs by at most 1e-5.
#[test]
fn a_long_cumsum_is_accurate() {
    let _clean = clean();
    const N: usize = 1 << 20;
    for device in devices() {
        let sums = Tensor::full(&[N], 0.1, device).unwrap().cumsum(0);
        let sums = sums.to_vec().unwrap();
        for (i, sum) in sums.iter().enumerate().step_by(997) {
            let right = f64::from(0.1f32) * (i + 1) as f64;
            let error = (f64::from(*sum) - right).abs() / right;
            assert!(error <= 1e-5, "{device}: sum {i} is {sum}, not {right}");
        }
    }
}

/// Enough elements for the kernels of large arrays, with the axes in any
/// order.
#[test]
fn non_adjacent_axes_are_reduced_in_place() {
    let _clean = clean();
    let shape = [6, 9, 20, 12];
    let count: usize = shape.iter().product();
    // Integers, whose sum is exact in any order.
    let values: Vec<f32> =
        (0..count).map(|i| (i * 7919 % 257) as f32 - 128.0).collect();
    let orders = [[0, 1, 2, 3], [3, 1, 0, 2], [2, 0, 3, 1], [1, 3, 2, 0]];
    let pairs = [&[0, 2][..], &[1, 3], &[0, 3], &[0, 1, 3], &[0, 2, 3]];
    for device in devices().into_iter().filter(|it| *it != Device::Cpu) {
        let [here, there] = [Device::Cpu, device]
            .map(|device| Tensor::new(&shape, &values, device).unwrap());
        for (order, axes) in orders.iter().flat_map(|w| pairs.map(|p| (w, p))) {
            for keep in [Keep::No, Keep::Yes] {
                let [right, found] = [&here, &there].map(|x| {
                    let x = x.permute(order).flip(&[2]);
                    let sums = x.sum_over(axes, keep);
                    let most = x.max_over(axes, keep);
                    (sums.to_vec().unwrap(), most.to_vec().unwrap())
                });
                assert_eq!(found, right, "{device}: {order:?} over {axes:?}");
            }
        }
    }
}
