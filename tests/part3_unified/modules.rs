//! The parameter lists and summaries of modules, and user-defined modules.

use rungrad::io;
use rungrad::ledger::{self, Counts};
use rungrad::nn::{
    BatchNorm, Layer, Linear, Module, Parameters, Sequential, parameters,
};
use rungrad::ops::Keep;
use rungrad::optim::{Optimizer, Sgd};
use rungrad::part3_unified::{Device, Tensor};
use rungrad::rng::Random;

use super::files::folder;
use super::training::eager_and_lazy;
use super::{leaf, third};
use testkit::clean;

/// A module with a field of each supported kind, and one field that is not a
/// parameter.
#[derive(Clone)]
struct EveryField {
    gain: Tensor,
    first: Linear,
    list: Vec<Linear>,
    pair: [Tensor; 2],
    last: Option<Linear>,
    none: Option<Linear>,
    any: Box<dyn Layer>,
    many: Sequential,
    activation: fn(&Tensor) -> Tensor,
}

impl Module for EveryField {
    fn forward(&self, x: &Tensor) -> Tensor {
        (self.activation)(x) * &self.gain
    }
}

impl Parameters for EveryField {
    parameters!(gain, first, list, pair, last, none, any, many);
}

/// A recurrent cell: two inputs, so it is not a `Module`.
struct Cell {
    input: Linear,
    state: Linear,
}

impl Cell {
    fn next(&self, x: &Tensor, state: &Tensor) -> Tensor {
        (self.input.forward(x) + self.state.forward(state)).tanh()
    }
}

impl Parameters for Cell {
    parameters!(input, state);
}

/// Promise: A part of a model is moved, trained and saved without a forward
/// pass of one input.
#[test]
fn a_cell_of_two_inputs_is_moved_trained_and_saved() {
    let _clean = clean();
    let mut random = Random::new(1);
    let mut cell = || Cell {
        input: Linear::new(2, 3, &mut random),
        state: Linear::new(3, 3, &mut random),
    };
    let (mut trained, mut loaded) = (cell(), cell());
    trained.to(third::device()).unwrap();
    let [x, state] = [[1, 2], [1, 3]]
        .map(|shape| Tensor::ones(&shape, third::device()).unwrap());
    trained.next(&x, &state).sum().backward();
    Sgd::new(0.1, 0.0).step(trained.parameters_mut());
    let path = folder("cell").join("cell.safetensors");
    io::save(&path, &trained).unwrap();
    io::load(&path, &mut loaded).unwrap();
    loaded.to(third::device()).unwrap();
    let next = |cell: &Cell| cell.next(&x, &state).to_vec().unwrap();
    assert_eq!(next(&loaded), next(&trained));
}

fn every_field() -> EveryField {
    let mut random = Random::new(1);
    let mut layer = || Linear::new(2, 2, &mut random);
    EveryField {
        gain: leaf(&[2.0]),
        first: layer(),
        list: vec![layer(), layer()],
        pair: [leaf(&[1.0]), leaf(&[2.0])],
        last: Some(layer()),
        none: None,
        any: Box::new(layer()),
        many: Sequential::new().then(Tensor::tanh).then(layer()),
        activation: Tensor::relu,
    }
}

/// Promise: A reader's module names its parameters by their fields, and its two
/// parameter lists agree.
#[test]
fn parameters_are_named_by_their_fields() {
    let _clean = clean();
    let mut model = every_field();
    let names = |all: Vec<(String, &Tensor)>| -> Vec<String> {
        all.into_iter().map(|(name, _)| name).collect()
    };
    let expected = [
        "gain",
        "first.weight",
        "first.bias",
        "list.0.weight",
        "list.0.bias",
        "list.1.weight",
        "list.1.bias",
        "pair.0",
        "pair.1",
        "last.weight",
        "last.bias",
        "any.weight",
        "any.bias",
        "many.1.weight",
        "many.1.bias",
    ];
    assert_eq!(names(model.parameters()), expected);
    let ids: Vec<_> = model.parameters().iter().map(|(_, p)| p.id()).collect();
    let places = model.parameters_mut();
    let looked = places.iter().map(|(_, p)| p.id());
    assert!(looked.eq(ids), "the lists differ in order");
    let places = places.into_iter().map(|(name, place)| (name, &*place));
    assert_eq!(names(places.collect()), expected);
}

/// Promise: A step changes a module and leaves its clone as it was.
#[test]
fn a_clone_keeps_the_values_that_it_was_made_with() {
    let _clean = clean();
    let x = Tensor::rand(&[4, 2], 1, Device::Cpu).unwrap();
    let mut model = BatchNorm::new(2);
    let before = model.clone();
    model.forward(&x).tanh().sum().backward();
    Sgd::new(1.0, 0.0).step(model.parameters_mut());
    let values = |norm: &BatchNorm| {
        let mean = norm.running_mean.get();
        [&norm.weight, &mean].map(|tensor| tensor.to_vec().unwrap())
    };
    assert_eq!(values(&before), [[1.0; 2], [0.0; 2]]);
    for (new, old) in values(&model).iter().zip(values(&before)) {
        assert_ne!(*new, old);
    }
    let mut other = model.clone();
    assert_eq!(other.weight.id(), model.weight.id());
    other.renew();
    other.forward(&x).sum().backward();
    assert!(other.weight.grad().is_some() && model.weight.grad().is_none());
    // A list of modules of any type.
    let list = every_field();
    let ids = |list: &EveryField| -> Vec<_> {
        list.parameters().iter().map(|(_, it)| it.id()).collect()
    };
    assert_eq!(ids(&list.clone()), ids(&list));
}

#[test]
fn a_user_defined_module_moves_to_a_device() {
    let _clean = clean();
    let mut model = every_field();
    model.to(third::device()).unwrap();
    for (name, parameter) in model.parameters() {
        assert_eq!(parameter.device(), third::device(), "{name}");
    }
}

#[test]
fn a_module_without_parameters_lists_none() {
    let _clean = clean();
    struct Double;
    impl Module for Double {
        fn forward(&self, x: &Tensor) -> Tensor {
            x * 2.0
        }
    }

    impl Parameters for Double {
        parameters!();
    }
    let mut double = Double;
    assert!(double.parameters().is_empty());
    assert!(double.parameters_mut().is_empty());
    assert_eq!(double.count(), 0);
}

/// Promise: Counting and printing the parameters of a model reads no data from
/// the device.
#[test]
fn counting_and_printing_parameters_reads_no_data() {
    let _clean = clean();
    let mut random = Random::new(0);
    let mut model = Sequential::new()
        .then(Linear::new(64, 32, &mut random))
        .then(Tensor::relu)
        .then(Linear::new(32, 10, &mut random));
    model.to(third::device()).unwrap();
    let ((count, table, shown), counts) = ledger::measure(|| {
        (model.count(), model.summary(), format!("{model:?}"))
    });
    assert_eq!(counts, Counts::default());
    assert_eq!(count, 64 * 32 + 32 + 32 * 10 + 10);
    assert_eq!(
        table,
        "\
parameter  shape     numbers  device
0.weight   [64, 32]     2048  third
0.bias     [32]           32  third
2.weight   [32, 10]      320  third
2.bias     [10]           10  third
total                   2410"
    );
    assert_eq!(shown, "Sequential [Linear [64, 32], relu, Linear [32, 10]]");
}

#[test]
fn an_empty_model_has_an_empty_summary() {
    let _clean = clean();
    let none = Sequential::new();
    let table = "parameter  shape  numbers  device\ntotal                   0";
    assert_eq!(none.summary(), table);
    assert_eq!(format!("{none:?}"), "Sequential []");
}

#[test]
fn debug_names_modules_by_their_type() {
    let _clean = clean();
    let twice = |x: &Tensor| x * 2.0;
    let relu: fn(&Tensor) -> Tensor = Tensor::relu;
    let model = Sequential::new().then(twice).then(relu).then(every_field());
    assert_eq!(
        format!("{model:?}"),
        "Sequential [closure, function, EveryField]"
    );
}

/// Reading parameters requires no mutable access to a model.
#[test]
fn gradients_can_be_cleared_through_a_shared_reference() {
    let _clean = clean();
    let layer = Linear::new(2, 1, &mut Random::new(0));
    let shared: &dyn Module = &layer;
    let x = Tensor::new(&[1, 2], &[1.0, 2.0], Device::Cpu).unwrap();
    shared.forward(&x).sum().backward();
    let with = |shared: &dyn Module| {
        let parameters = shared.parameters();
        parameters.iter().filter(|(_, p)| p.grad().is_some()).count()
    };
    assert_eq!(with(shared), 2);
    shared.zero_grad();
    assert_eq!(with(shared), 0);
}

/// This many rows are summed in three parts, and the columns span several
/// work-groups.
#[test]
fn layer_norm_of_many_rows_has_the_right_gradients() {
    let _clean = clean();
    let slopes = |device: Device, by_operations: bool| {
        let new = |shape: &[usize], seed| {
            Tensor::rand(shape, seed, device).unwrap().requires_grad()
        };
        let (x, above) = (new(&[2, 2049, 9], 1), new(&[2, 2049, 9], 2));
        let (weight, bias) = (new(&[9], 3), new(&[9], 4));
        let out = match by_operations {
            false => x.layer_norm(&weight, &bias, 0.5),
            true => {
                let gap = x.sub(&x.mean_over(&[2], Keep::Yes));
                let variance = gap.mul(&gap).mean_over(&[2], Keep::Yes);
                let normal = gap.div(&variance.shift(0.5).sqrt());
                normal.mul(&weight).add(&bias)
            }
        };
        out.mul(&above.detach()).sum().backward();
        [x, weight, bias].map(|it| it.grad().unwrap().to_vec().unwrap())
    };
    let right = slopes(Device::Cpu, true).concat();
    for device in eager_and_lazy() {
        if device != third::device() {
            let yours = slopes(device, false).concat();
            for (yours, right) in yours.iter().zip(&right) {
                let near = (yours - right).abs() <= 1e-4 + 1e-5 * right.abs();
                assert!(near, "{device}: {yours}, not {right}");
            }
        }
    }
}
