//! Modules, moving a model to a device, and the digits network, which learns
//! the same in both parts and on every device.

// The number of epochs is used by the example only.
#[allow(dead_code)]
#[path = "../../examples/part1_digits/training.rs"]
mod part1;
#[path = "../../examples/part3_digits/training.rs"]
mod part3;
#[path = "../../examples/part3_two_devices/sharing.rs"]
mod sharing;

use std::ops::Range;

use rungrad::data::{Dataset, SPLIT_SEED, digits};
use rungrad::nn::{Linear, Module, Parameters, Sequential};
use rungrad::optim::{Optimizer, Sgd};
use rungrad::part3_unified::{Device, Tensor};
use rungrad::rng::Random;
use rungrad::{Error, attempt, ledger};

use super::{constant, devices, leaf, third};
use part3::{BATCH, inputs, network};
use testkit::clean;

/// Returns the devices, and the lazy variant of each.
pub(super) fn eager_and_lazy() -> Vec<Device> {
    let eager = devices();
    let lazy = eager.iter().filter_map(|device| match device {
        _ if !cfg!(feature = "lazy") => None,
        Device::Cpu => Some(Device::FusedCpu),
        Device::Gpu(i) => Some(Device::Fused(*i)),
        _ => None,
    });
    let lazy: Vec<_> = lazy.collect();
    [eager, lazy].concat()
}

fn values(model: &dyn Parameters) -> Vec<f32> {
    let parameters = model.parameters();
    parameters.iter().flat_map(|(_, p)| p.to_vec().unwrap()).collect()
}

#[test]
fn sequential_names_parameters_by_index() {
    let _clean = clean();
    let model = network(&mut Random::new(3));
    let named: Vec<(String, Vec<usize>)> = model
        .parameters()
        .into_iter()
        .map(|(name, p)| (name, p.shape().to_vec()))
        .collect();
    let expected = [
        ("0.weight", &[64, 64][..]),
        ("0.bias", &[64]),
        ("2.weight", &[64, 10]),
        ("2.bias", &[10]),
    ];
    let expected = expected.map(|(name, shape)| (name.into(), shape.to_vec()));
    assert_eq!(named, expected);
    let nested = Sequential::new().then(Tensor::tanh).then(model);
    let last = nested.parameters().pop().unwrap().0;
    assert_eq!(last, "1.2.bias");
}

/// With equal weights, a comparison of the parts compares the engines.
///
/// Promise: Every part starts training from the same weights.
#[test]
fn every_part_starts_from_the_same_weights() {
    let _clean = clean();
    use rungrad::part1_cpu::{Tensor, nn::Mlp};

    let mut random = Random::new(7);
    let mut mlp = Mlp::new(&[64, 64, 10], Tensor::relu, &mut random);
    let old: Vec<f32> =
        mlp.parameters().iter().flat_map(|(_, p)| p.to_vec()).collect();
    assert_eq!(values(&network(&mut Random::new(7))), old);
}

#[test]
fn linear_multiplies_by_the_weight_and_adds_the_bias() {
    let _clean = clean();
    let mut layer = Linear::new(2, 3, &mut Random::new(1));
    let six = constant(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
    layer.weight = six.reshape(&[2, 3]);
    layer.bias = constant(&[0.5, 0.0, -0.5]);
    let x = constant(&[1.0, 10.0, 2.0, 0.0]).reshape(&[2, 2]);
    let out = layer.forward(&x).to_vec().unwrap();
    assert_eq!(out, [41.5, 52.0, 62.5, 2.5, 4.0, 5.5]);
}

/// Promise: A model of Part 3 moves to a device in one call, and its parameters
/// still require gradients.
#[test]
fn a_moved_model_still_requires_gradients() {
    let _clean = clean();
    for device in devices() {
        let mut model = network(&mut Random::new(1));
        let before = values(&model);
        model.to(device).unwrap();
        assert_eq!(values(&model), before, "{device}");
        let x = Tensor::rand(&[2, 64], 5, device).unwrap();
        model.forward(&x).cross_entropy(&[3, 4]).backward();
        for (name, parameter) in model.parameters() {
            assert_eq!(parameter.device(), device, "{name}");
            assert_eq!(parameter.tape().ops(), ["leaf"], "{name}");
            let grad = parameter.grad().expect(&name);
            assert_eq!(grad.device(), device, "{name}");
            assert!(grad.to_vec().unwrap().iter().any(|g| *g != 0.0));
        }
    }
}

#[test]
fn a_move_creates_leaves_without_gradients() {
    let _clean = clean();
    let mut layer = Linear::new(2, 2, &mut Random::new(1));
    let old = layer.weight.clone();
    layer.forward(&constant(&[1.0, 2.0]).reshape(&[1, 2])).sum().backward();
    layer.to(third::device()).unwrap();
    assert!(layer.weight.grad().is_none());
    assert!(old.grad().is_some(), "the old leaf is as it was");
    let there = Tensor::full(&[1, 2], 1.0, third::device()).unwrap();
    old.zero_grad();
    layer.forward(&there).sum().backward();
    assert!(old.grad().is_none(), "no gradient flows back to the old leaf");
}

/// Promise: A move to the current device costs nothing and changes nothing.
#[test]
fn a_move_to_the_same_device_changes_nothing() {
    let _clean = clean();
    for device in devices() {
        let mut model = network(&mut Random::new(1));
        model.to(device).unwrap();
        let x = Tensor::rand(&[1, 64], 5, device).unwrap();
        model.forward(&x).sum().backward();
        let look = |model: &Sequential| -> Vec<_> {
            let parameters = model.parameters();
            let of = parameters.iter();
            of.map(|(_, p)| (p.id(), p.grad().is_some())).collect()
        };
        let before = look(&model);
        let (moved, counts) = ledger::measure(|| model.to(device));
        moved.unwrap();
        assert_eq!(counts, ledger::Counts::default(), "{device}");
        assert_eq!(look(&model), before);
    }
}

/// Promise: A move that fails for one parameter moves none.
#[test]
fn a_failed_move_moves_no_parameter() {
    let _clean = clean();
    let mut model = network(&mut Random::new(1));
    let moved = third::with_room_for(2, || model.to(third::device()));
    assert!(matches!(moved, Err(Error::Device(_))));
    let parameters = model.parameters();
    let stayed = |p: &Tensor| p.device() == Device::Cpu && p.id().is_some();
    assert!(parameters.iter().all(|(_, p)| stayed(p)));
}

#[test]
fn models_are_send_and_sync() {
    let _clean = clean();
    fn sent_and_shared<T: Send + Sync>() {}
    sent_and_shared::<Sequential>();
    sent_and_shared::<Sgd>();
}

/// Takes one step on `loss = 3 x`, whose gradient is 3.
fn step(sgd: &mut Sgd, x: &mut Tensor) -> f32 {
    (&*x * 3.0).backward();
    sgd.step(vec![("x".to_string(), x)]);
    x.to_vec().unwrap()[0]
}

#[test]
fn momentum_accumulates_steps_across_a_move() {
    let _clean = clean();
    let mut x = leaf(&[10.0]);
    let mut sgd = Sgd::new(0.5, 0.0);
    assert_eq!(step(&mut sgd, &mut x), 8.5);
    assert_eq!(step(&mut sgd, &mut x), 7.0);

    let mut x = leaf(&[10.0]);
    let mut sgd = Sgd::new(0.5, 0.5);
    // The velocities are 3, 4.5 and 5.25.
    assert_eq!(step(&mut sgd, &mut x), 8.5);
    assert_eq!(step(&mut sgd, &mut x), 6.25);
    x = x.detach().to(third::device()).unwrap().requires_grad();
    assert_eq!(step(&mut sgd, &mut x), 3.625);
}

#[test]
fn an_sgd_step_records_only_new_leaves() {
    let _clean = clean();
    let mut sgd = Sgd::new(0.01, 0.9);
    let mut x = leaf(&[10.0]);
    let ((), counts) = ledger::measure(|| {
        for _ in 0..100 {
            step(&mut sgd, &mut x);
        }
    });
    // Each step records a multiplication and a new leaf; the first leaf, which
    // is older than the measurement, is freed during it.
    assert_eq!((counts.nodes, counts.nodes_freed), (200, 200));
    assert_eq!(x.tape().ops(), ["leaf"]);
    assert!(x.grad().is_none());
}

#[test]
fn a_step_without_gradients_is_rejected() {
    let _clean = clean();
    let mut x = leaf(&[10.0]);
    let mut sgd = Sgd::new(0.5, 0.0);
    step(&mut sgd, &mut x);
    let again = attempt(|| sgd.step(vec![("x".to_string(), &mut x)]));
    let Err(Error::Mistake(sentence)) = again else { panic!() };
    assert!(sentence.starts_with("step: no parameter has"), "{sentence}");
    let mut other = leaf(&[1.0, 2.0]);
    let other = vec![("other".to_string(), &mut other)];
    assert!(attempt(|| sgd.step(other)).is_err());
    assert!(attempt(|| sgd.step(vec![])).is_err());
}

/// The loss of each batch of the first epoch.
fn losses(rows: &Dataset, device: Device) -> Vec<f32> {
    let mut random = Random::new(0);
    let mut network = network(&mut random);
    network.to(device).unwrap();
    let mut sgd = Sgd::new(0.1, 0.9);
    let learn = |batch: Dataset| {
        let scores = network.forward(&inputs(&batch, device).unwrap());
        let loss = scores.cross_entropy(&batch.labels);
        loss.backward();
        sgd.step(network.parameters_mut());
        loss.to_vec().unwrap()[0]
    };
    rows.batches(BATCH, &mut random).map(learn).collect()
}

/// The losses of Part 1 for the same batches.
fn losses_of_part_1(rows: &Dataset) -> Vec<f32> {
    use rungrad::part1_cpu::{Tensor, nn::Mlp, optim::Sgd};

    let mut random = Random::new(0);
    let mut network = Mlp::new(&[64, 64, 10], Tensor::relu, &mut random);
    let mut sgd = Sgd::new(0.1, 0.9);
    let learn = |batch: Dataset| {
        let scores = part1::scores(&network, &batch);
        let loss = scores.cross_entropy(&batch.labels);
        loss.backward();
        sgd.step(network.parameters());
        loss.to_vec()[0]
    };
    rows.batches(BATCH, &mut random).map(learn).collect()
}

/// Promise: Part 3 learns the digits with the losses of Part 1, on every
/// device.
#[test]
fn part_3_has_the_losses_of_part_1_on_every_device() {
    let _clean = clean();
    let (rows, _) = digits().split(SPLIT_SEED);
    let right = losses_of_part_1(&rows);
    assert_eq!(right.len(), 45);
    for device in devices() {
        let yours = losses(&rows, device);
        assert_eq!(yours.len(), right.len());
        for (batch, (yours, right)) in yours.iter().zip(&right).enumerate() {
            let near = (yours - right).abs() < 1e-3;
            assert!(near, "{device}, batch {batch}: {yours}, not {right}");
        }
    }
}

/// Runs the training loops of the two examples.
#[test]
fn the_digits_examples_of_both_parts_train_alike() {
    let _clean = clean();
    let split = digits().split(SPLIT_SEED);
    let mut right = Vec::new();
    part1::train(&split, 0, 2, |epoch| right.push(epoch));
    for device in devices() {
        let mut yours = Vec::new();
        part3::train(&split, 0, 2, device, |epoch| yours.push(epoch)).unwrap();
        for (yours, right) in yours.iter().zip(&right) {
            assert!((yours.loss - right.loss).abs() < 1e-3, "{device}");
            assert!((yours.held_out - right.held_out).abs() < 1e-3);
            assert!((yours.accuracy - right.accuracy).abs() < 0.01);
        }
    }
}

#[test]
fn an_epoch_leaves_only_the_model_in_memory() {
    let _clean = clean();
    let split = digits().split(SPLIT_SEED);
    for device in devices() {
        let learn = || part3::train(&split, 0, 1, device, |_| ()).unwrap();
        let (network, counts) = ledger::measure(learn);
        // The model consists of four leaves.
        assert_eq!(counts.live_nodes(), 4, "{device}");
        assert_eq!(counts.live_storages(), 4, "{device}");
        drop(network);
        let (_, counts) = ledger::measure(learn);
        assert_eq!((counts.builds, counts.live_nodes()), (0, 4), "{device}");
    }
}

/// The batch is split unevenly, for every pair of devices.
///
/// Promise: Two devices that share a batch compute the gradients of one
/// device.
#[test]
fn a_batch_split_over_two_devices_has_the_same_gradients() {
    let _clean = clean();
    let (rows, _) = digits().split(SPLIT_SEED);
    let select = |range: Range<usize>| rows.select(&range.collect::<Vec<_>>());
    let shares = [select(0..11), select(11..16)];
    let gradients = |model: &Sequential| -> Vec<Vec<f32>> {
        let parameters = model.parameters();
        let of = parameters.iter().map(|(_, p)| p.grad().unwrap());
        of.map(|grad| grad.to_vec().unwrap()).collect()
    };
    let alone = sharing::network();
    let loss = sharing::loss(&alone, &select(0..16), Device::Cpu).unwrap();
    loss.backward();
    let right = gradients(&alone);
    for here in devices() {
        for there in devices() {
            let mut shared = sharing::network();
            shared.to(here).unwrap();
            let both = [here, there];
            sharing::shared_loss(&shared, shares.each_ref(), both)
                .unwrap()
                .backward();
            for (_, parameter) in shared.parameters() {
                assert_eq!(parameter.grad().unwrap().device(), here);
            }
            for (yours, right) in gradients(&shared).iter().zip(&right) {
                let pairs = yours.iter().zip(right);
                let far = pairs.map(|(a, b)| (a - b).abs());
                let far = far.fold(0.0, f32::max);
                assert!(far < 1e-6, "{here} and {there}: {far}");
            }
        }
    }
}
