//! Convolutions with groups, dilation, padding and bias, and pools with
//! padding, have the values and gradients of PyTorch on every device.
//! `tests/vectors/make_images.py` wrote the expected values.

use rungrad::ConvOptions;
use rungrad::attempt;
use rungrad::part3_unified::{Device, Tensor, Window};
use serde_json::Value;

use super::devices;
use testkit::clean;

const VECTORS: &str = include_str!("../vectors/images.json");

pub(super) fn tensor(described: &Value, device: Device) -> Tensor {
    let shape = sizes(&described["shape"]);
    Tensor::new(&shape, &values(described), device).unwrap()
}

pub(super) fn values(described: &Value) -> Vec<f32> {
    let values = described["values"].as_array().expect("values").iter();
    values.map(|x| x.as_f64().expect("a number") as f32).collect()
}

pub(super) fn sizes(list: &Value) -> Vec<usize> {
    let sizes = list.as_array().expect("sizes").iter();
    sizes.map(|n| n.as_u64().expect("a size") as usize).collect()
}

/// Returns a pair of options, or PyTorch's default.
fn pair(options: &Value, name: &str, default: usize) -> [usize; 2] {
    match &options[name] {
        Value::Null => [default; 2],
        pair => sizes(pair).try_into().expect("a pair"),
    }
}

fn call(name: &str, options: &Value, of: &[Tensor]) -> Tensor {
    let stride = pair(options, "stride", 1);
    let padding = pair(options, "padding", 0);
    let dilation = pair(options, "dilation", 1);
    if name == "conv2d" {
        let groups = options["groups"].as_u64().unwrap_or(1) as usize;
        let options = ConvOptions { stride, padding, dilation, groups };
        return of[0].conv2d(&of[1], of.get(2), &options);
    }
    let size = pair(options, "kernel_size", 0);
    let window = Window { size, stride, padding, dilation };
    match name {
        "max_pool2d" => of[0].max_pool2d(&window),
        "avg_pool2d" => of[0].avg_pool2d(&window),
        other => panic!("{other} is called nowhere"),
    }
}

/// All values are multiples of 1/8, and no sum of their products needs more
/// digits than `f32` has; only a mean is rounded.
///
/// Promise: Convolutions with groups, dilation and bias, and pools with
/// padding, have the values and gradients of PyTorch on every device.
#[test]
fn convolutions_and_pools_agree_with_pytorch() {
    let _clean = clean();
    let all: Value = serde_json::from_str(VECTORS).expect("JSON");
    let cases = all["cases"].as_array().expect("cases");
    assert_eq!(cases.len(), 12);
    for device in devices() {
        for case in cases {
            let name = case["call"].as_str().expect("a name");
            let what = format!("{name} {} on {device}", case["options"]);
            let of = case["operands"].as_array().expect("operands").iter();
            let of: Vec<Tensor> =
                of.map(|t| tensor(t, device).requires_grad()).collect();
            let out = call(name, &case["options"], &of);
            out.backward_with(&tensor(&case["above"], device));
            let grads = of.iter().map(|t| t.grad().expect("a gradient"));
            let yours = [out].into_iter().chain(grads);
            let right = [&case["out"]].into_iter();
            let right = right.chain(case["grads"].as_array().expect("grads"));
            let rounding = if name == "avg_pool2d" { 1e-6 } else { 0.0 };
            for (place, (yours, right)) in yours.zip(right).enumerate() {
                assert_eq!(yours.shape(), sizes(&right["shape"]), "{what}");
                let pairs = yours.to_vec().unwrap().into_iter();
                for (yours, right) in pairs.zip(values(right)) {
                    assert!(
                        (yours - right).abs()
                            <= rounding * right.abs().max(1.0),
                        "{what}: {yours}, not {right}, in the result or, from \
                         1 on, in the gradient of an operand: {place}"
                    );
                }
            }
        }
    }
}

#[test]
fn pooling_an_empty_image_is_rejected() {
    let _clean = clean();
    for shape in [[1, 2, 0, 4], [1, 2, 4, 0]] {
        let image = Tensor::zeros(&shape, Device::Cpu).unwrap();
        let pool = Window::new([2, 2]).stride([2, 2]);
        for refused in [
            attempt(|| image.max_pool2d(&pool)),
            attempt(|| image.avg_pool2d(&pool)),
        ] {
            let sentence = refused.unwrap_err().to_string();
            assert!(sentence.contains("does not fit"), "{sentence}");
        }
    }
}
