//! Tied weights: one leaf in two fields of a model is one parameter. The
//! reference is a model that holds the leaf in one field and uses it twice.

use rungrad::nn::{Linear, Module, Parameters, Sequential, parameters};
use rungrad::optim::{Adam, AdamW, Optimizer, Sgd, clip_grad_norm};
#[cfg(feature = "engine")]
use rungrad::part3_unified::DType;
use rungrad::part3_unified::{Device, Tensor};
use rungrad::rng::Random;

use super::devices;
#[cfg(feature = "engine")]
use super::third;
use testkit::clean;

/// A model with a leaf in two fields, and a parameter between them.
pub(super) struct Tied {
    pub(super) first: Tensor,
    middle: Linear,
    pub(super) last: Tensor,
}

impl Module for Tied {
    fn forward(&self, x: &Tensor) -> Tensor {
        let hidden = self.middle.forward(&x.matmul(&self.first)).tanh();
        hidden.matmul(&self.last.transpose())
    }
}

impl Parameters for Tied {
    parameters!(first, middle, last);
}

/// The same function with the leaf in one field.
struct Untied {
    first: Tensor,
    middle: Linear,
}

impl Module for Untied {
    fn forward(&self, x: &Tensor) -> Tensor {
        let hidden = self.middle.forward(&x.matmul(&self.first)).tanh();
        hidden.matmul(&self.first.transpose())
    }
}

impl Parameters for Untied {
    parameters!(first, middle);
}

fn parts(seed: u64) -> (Tensor, Linear) {
    let table = Tensor::randn(&[4, 3], seed, Device::Cpu).unwrap();
    let middle = Linear::new(3, 3, &mut Random::new(seed));
    (table.requires_grad(), middle)
}

pub(super) fn tied(seed: u64) -> Tied {
    let (first, middle) = parts(seed);
    Tied { last: first.clone(), first, middle }
}

fn untied(seed: u64) -> Untied {
    let (first, middle) = parts(seed);
    Untied { first, middle }
}

#[track_caller]
pub(super) fn assert_tied(model: &Tied) {
    assert!(model.first.id().is_some());
    assert_eq!(model.first.id(), model.last.id());
}

fn bits(tensor: &Tensor) -> Vec<u64> {
    let values = tensor.to_vec_of::<f64>().unwrap();
    values.iter().map(|x| x.to_bits()).collect()
}

pub(super) fn step(model: &mut dyn Module, optimizer: &mut dyn Optimizer) {
    let parameter = model.parameters()[0].1.clone();
    let x = Tensor::rand(&[5, 4], 9, parameter.device()).unwrap();
    let x = x.to_dtype(parameter.dtype()).unwrap();
    (model.forward(&x) - &x).pow(2.0).mean().backward();
    // Far below the norm of the gradient, so that the gradient is scaled.
    let _ = clip_grad_norm(&model.parameters(), 1e-3);
    optimizer.step(model.parameters_mut());
}

fn optimizers() -> [[Box<dyn Optimizer>; 2]; 3] {
    [
        [Box::new(Sgd::new(9.0, 0.9)), Box::new(Sgd::new(9.0, 0.9))],
        [Box::new(Adam::new(0.01)), Box::new(Adam::new(0.01))],
        [Box::new(AdamW::new(0.01, 0.1)), Box::new(AdamW::new(0.01, 0.1))],
    ]
}

/// After two of the steps, the model moves to a device, and the optimizer's
/// state follows.
#[test]
fn tied_weights_are_updated_once() {
    let _clean = clean();
    for device in devices() {
        for (at, [mut own, mut reference]) in
            optimizers().into_iter().enumerate()
        {
            let (mut model, mut right) = (tied(1), untied(1));
            for n in 0..4 {
                if n == 2 {
                    model.to(device).unwrap();
                    right.to(device).unwrap();
                    assert_tied(&model);
                }
                step(&mut model, &mut *own);
                step(&mut right, &mut *reference);
                assert_tied(&model);
                let [a, b] = [&model.last, &right.first].map(bits);
                assert_eq!(a, b, "optimizer {at}, step {n}, {device}");
            }
            let [a, b] = [&model.middle.weight, &right.middle.weight].map(bits);
            assert_eq!(a, b, "optimizer {at} on {device}");
        }
    }
}

#[cfg(feature = "engine")]
#[test]
fn tied_weights_stay_tied_across_devices_and_types() {
    let _clean = clean();
    let mut model = tied(1);
    let before = bits(&model.first);
    model.to(third::device()).unwrap();
    assert_tied(&model);
    assert_eq!(model.last.device(), third::device());
    model.to(Device::Cpu).unwrap();
    model.to_dtype(DType::F64).unwrap();
    assert_tied(&model);
    assert_eq!(model.last.dtype(), DType::F64);
    assert_eq!(bits(&model.last), before);
    // A model that is on the device already keeps its leaves.
    let id = model.first.id();
    model.to(Device::Cpu).unwrap();
    assert_eq!([model.first.id(), model.last.id()], [id, id]);
}

#[test]
fn tied_weights_are_counted_once() {
    let _clean = clean();
    let model = tied(1);
    assert_eq!(model.count(), 4 * 3 + 3 * 3 + 3);
    assert_eq!(
        model.summary(),
        "\
parameter      shape   numbers  device
first          [4, 3]       12  cpu
middle.weight  [3, 3]        9  cpu
middle.bias    [3]           3  cpu
total                       24"
    );
    // A file has both names.
    let parameters = model.parameters();
    let names: Vec<&str> = parameters.iter().map(|(n, _)| &n[..]).collect();
    assert_eq!(names, ["first", "middle.weight", "middle.bias", "last"]);
}

/// Two layers of a sequence share their parameters.
#[test]
fn weights_can_be_tied_across_modules() {
    let _clean = clean();
    let new = || Linear::new(4, 4, &mut Random::new(1));
    let one = new();
    let two = Linear { weight: one.weight.clone(), bias: one.bias.clone() };
    let mut model = Sequential::new().then(one).then(Tensor::tanh).then(two);
    assert_eq!(model.count(), 4 * 4 + 4);
    let mut sgd = Sgd::new(0.1, 0.9);
    (0..3).for_each(|_| step(&mut model, &mut sgd));
    let ids: Vec<_> = model.parameters().iter().map(|(_, p)| p.id()).collect();
    assert_eq!(ids[..2], ids[2..]);
    assert_ne!(ids[0], ids[1]);
}

/// A leaf has one gradient, however many fields hold it: its square is added
/// once, and it is scaled once.
#[test]
fn the_gradient_of_tied_weights_is_clipped_once() {
    let _clean = clean();
    let a = super::leaf(&[3.0, 4.0]);
    let b = a.clone();
    (&a * &b).sum().backward();
    let all = [("a".to_string(), &a), ("b".to_string(), &b)];
    let norm = clip_grad_norm(&all, 5.0);
    assert_eq!(norm.item().unwrap(), 10.0);
    let clipped = a.grad().unwrap().norm().item().unwrap();
    assert!((clipped - 5.0).abs() < 1e-4, "{clipped}");
}
