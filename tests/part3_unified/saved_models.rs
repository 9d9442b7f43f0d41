//! A model that was saved and loaded computes the same values: the file
//! contains its buffers and tied parameters, also in PyTorch's layout.

use std::fs;

use rungrad::io::{self, Difference, Integers, Part};
use rungrad::nn::{BatchNorm, Dropout, Linear, Module, Parameters, Sequential};
use rungrad::optim::{Adam, Optimizer, Sgd};
use rungrad::part3_unified::{Device, Tensor};
use rungrad::rng::Random;

use super::damaged_files::hostile;
use super::devices;
use super::files::{folder, sentence, values, written_by_python};
use super::leaf;
use super::tied_parameters::{assert_tied, step, tied};
use testkit::clean;

fn network(seed: u64) -> Sequential {
    let mut random = Random::new(seed);
    Sequential::new()
        .then(Linear::new(2, 3, &mut random))
        .then(BatchNorm::new(3))
        .then(Dropout::new(0.5, &mut random))
        .then(Linear::new(3, 1, &mut random))
}

fn outputs(model: &dyn Module, x: &Tensor) -> Vec<f32> {
    model.forward(x).to_vec().unwrap()
}

#[test]
fn a_loaded_batch_norm_evaluates_like_the_saved_one() {
    let _clean = clean();
    let path = folder("batch_norm").join("m.safetensors");
    for device in devices() {
        let [mut model, mut again] = [network(1), network(2)];
        model.to(device).unwrap();
        again.to(device).unwrap();
        let x = Tensor::rand(&[16, 2], 3, device).unwrap() * 9.0 + 5.0;
        let mut sgd = Sgd::new(0.01, 0.0);
        for _ in 0..5 {
            model.forward(&x).pow(2.0).mean().backward();
            sgd.step(model.parameters_mut());
        }
        io::save(&path, &model).unwrap();
        let _ = again.forward(&x);
        io::load(&path, &mut again).unwrap();
        model.eval();
        again.eval();
        assert_eq!(outputs(&again, &x), outputs(&model, &x), "{device}");
        for (name, buffer) in again.buffers() {
            assert_eq!(buffer.get().device(), device, "{name}");
            assert!(!buffer.get().records(), "{name}");
        }
    }
}

/// PyTorch 2.11 wrote the file and computed the outputs (`make_batch_norm.py`).
#[test]
fn a_pytorch_state_dict_with_batch_norm_is_loaded() {
    let _clean = clean();
    let new = || {
        let mut random = Random::new(1);
        Sequential::new()
            .then(Linear::new(2, 3, &mut random))
            .then(BatchNorm::new(3))
            .then(Linear::new(3, 1, &mut random))
    };
    let path = written_by_python("batch_norm.safetensors");
    let is_linear = |name: &str| ["0.weight", "2.weight"].contains(&name);
    let x = [1.0, 2.0, -1.0, 0.5, 0.0, -3.0];
    for device in devices() {
        let mut model = new();
        model.to(device).unwrap();
        io::load_turned(&path, &mut model, is_linear).unwrap();
        model.eval();
        let x = Tensor::new(&[3, 2], &x, device).unwrap();
        let right = [3.087_061, -0.737_419, -3.665_797];
        for (ours, right) in outputs(&model, &x).iter().zip(right) {
            assert!((ours - right).abs() < 1e-5, "{ours}, {right}, {device}");
        }
        // The file for PyTorch has everything but the batch counter, which
        // PyTorch adds if it is missing.
        let back = folder("to_pytorch").join("m.safetensors");
        io::save_turned(&back, &model, is_linear).unwrap();
        let sorted = |path| {
            let tensors = io::read(path, Device::Cpu).unwrap().into_iter();
            let mut tensors: Vec<_> = tensors
                .map(|(n, t)| (n, t.shape().to_vec(), t.to_vec().unwrap()))
                .collect();
            tensors.sort_by(|a, b| a.0.cmp(&b.0));
            tensors
        };
        assert_eq!(sorted(&back), sorted(&path));
    }
    // Other integer tensors are not ignored.
    let bytes = fs::read(&path).unwrap();
    let text = b"num_batches_tracked";
    let at = bytes.windows(text.len()).position(|it| it == text).unwrap();
    let mut other = bytes.clone();
    other[at..at + text.len()].copy_from_slice(b"num_batches_counted");
    let path = folder("other_counter").join("m.safetensors");
    fs::write(&path, other).unwrap();
    let refused = io::load_turned(&path, &mut new(), is_linear);
    let refused = sentence("another counter", refused);
    assert!(
        refused.contains("\"1.num_batches_counted\" is unexpected"),
        "{refused}"
    );
}

#[test]
fn a_file_without_buffers_is_rejected() {
    let _clean = clean();
    let path = folder("no_buffers").join("m.safetensors");
    let mut model = network(1);
    let before = values(&model);
    io::write(&path, network(2).parameters()).unwrap();
    assert_eq!(
        sentence("a file of parameters", io::load(&path, &mut model)),
        format!(
            "{}: tensor \"1.running_mean\" is missing; load a file of this \
             model, or use `load_partial`",
            path.display()
        )
    );
    assert_eq!(values(&model), before);
    let difference = io::load_partial(&path, &mut model).unwrap();
    let missing = ["1.running_mean", "1.running_var"].map(String::from);
    let (missing, unexpected) = (missing.into(), vec![]);
    assert_eq!(difference, Difference { missing, unexpected });
    assert_eq!(values(&model), values(&network(2)));
}

#[test]
fn load_partial_loads_matching_tensors_and_lists_the_rest() {
    let _clean = clean();
    let path = folder("partial").join("m.safetensors");
    let (x, y) = (leaf(&[1.0]), leaf(&[2.0, 3.0]));
    let mut model = Linear::new(2, 2, &mut Random::new(1));
    let before = model.weight.to_vec().unwrap();
    io::write(&path, [("x", &x), ("bias", &y)]).unwrap();
    let difference = io::load_partial(&path, &mut model).unwrap();
    assert_eq!(difference.missing, ["weight"]);
    assert_eq!(difference.unexpected, ["x"]);
    assert_eq!(model.bias.to_vec().unwrap(), [2.0, 3.0]);
    assert_eq!(model.weight.to_vec().unwrap(), before);
    // A tensor that both have must match.
    io::write(&path, [("bias", &x)]).unwrap();
    let refused = io::load_partial(&path, &mut model);
    let refused = sentence("another shape", refused);
    assert!(refused.contains("\"bias\" has shape [1]"), "{refused}");
}

#[test]
fn tied_weights_are_loaded_tied() {
    let _clean = clean();
    let folder = folder("tied");
    let path = folder.join("m.safetensors");
    let model = tied(1);
    io::save(&path, &model).unwrap();
    let mut again = tied(2);
    io::load(&path, &mut again).unwrap();
    assert_tied(&again);
    assert_eq!(values(&again), values(&model));
    // One of the two names is enough, as in a file that safetensors'
    // save_model wrote.
    for left_out in ["first", "last"] {
        let mut parameters = model.parameters();
        parameters.retain(|(name, _)| name != left_out);
        io::write(&path, parameters).unwrap();
        let mut again = tied(2);
        io::load(&path, &mut again).unwrap();
        assert_tied(&again);
        assert_eq!(values(&again), values(&model), "without {left_out}");
    }
    // If neither name is in the file, both are reported as missing.
    let mut parameters = model.parameters();
    parameters.retain(|(name, _)| name.starts_with("middle"));
    io::write(&path, parameters).unwrap();
    let difference = io::load_partial(&path, &mut again).unwrap();
    assert_eq!(difference.missing, ["first", "last"]);
    assert_tied(&again);
}

#[test]
fn different_values_for_tied_weights_are_rejected() {
    let _clean = clean();
    let path = folder("untied").join("m.safetensors");
    let file = path.display();
    let other = Tensor::zeros(&[4, 3], Device::Cpu).unwrap();
    let mut model = tied(1);
    let before = values(&model);
    let mut untied = model.parameters();
    untied[3].1 = &other;
    io::write(&path, untied).unwrap();
    assert_eq!(
        sentence("different tied weights", io::load(&path, &mut model)),
        format!(
            "{file}: tensor \"last\" differs from \"first\", but they are tied \
             in the model; load a file of this model"
        )
    );
    let mut untied = tied(1);
    untied.last = other.requires_grad();
    io::checkpoint(&path, &[("model", &mut untied)]).unwrap();
    assert_eq!(
        sentence(
            "a run with different tied weights",
            io::resume(&path, &mut [("model", &mut model)])
        ),
        format!(
            "{file}: \"model.last\" differs from \"first\", but they are tied \
             in the model; load a file of this run"
        )
    );
    assert_eq!(values(&model), before);
    assert_tied(&model);
}

#[test]
fn a_resumed_run_keeps_its_tied_weights() {
    let _clean = clean();
    let path = folder("tied_run").join("run");
    for device in devices() {
        let [mut model, mut again] = [tied(1), tied(2)];
        let [mut adam, mut other] = [Adam::new(0.01), Adam::new(0.01)];
        model.to(device).unwrap();
        again.to(device).unwrap();
        (0..3).for_each(|_| step(&mut model, &mut adam));
        let mut parts: [Part; 2] = [("model", &mut model), ("adam", &mut adam)];
        io::checkpoint(&path, &parts).unwrap();
        parts = [("model", &mut again), ("adam", &mut other)];
        io::resume(&path, &mut parts).unwrap();
        assert_tied(&again);
        for _ in 0..3 {
            step(&mut model, &mut adam);
            step(&mut again, &mut other);
            assert_tied(&again);
            assert_eq!(values(&again), values(&model), "{device}");
        }
    }
}

/// A part that does not match reverts the parts before it.
#[test]
fn a_failed_resume_keeps_weights_tied() {
    let _clean = clean();
    let path = folder("tied_back").join("run");
    let (mut model, mut count) = (tied(1), 1_u64);
    let mut other = Linear::new(1, 1, &mut Random::new(1));
    let mut parts: [Part; 2] = [("model", &mut model), ("other", &mut other)];
    io::checkpoint(&path, &parts).unwrap();
    let id = model.first.id();
    parts = [("model", &mut model), ("other", &mut count)];
    sentence("a misfit", io::resume(&path, &mut parts));
    assert_tied(&model);
    assert_eq!(model.first.id(), id);
}

#[test]
fn a_checkpoint_can_be_read_as_tensors() {
    let _clean = clean();
    let path = folder("read_run").join("run");
    let mut model = network(1);
    let (mut adam, mut random) = (Adam::new(0.1), Random::new(u64::MAX));
    let x = Tensor::ones(&[4, 2], Device::Cpu).unwrap();
    model.forward(&x).sum().backward();
    adam.step(model.parameters_mut());
    let parts: [Part; 3] =
        [("model", &mut model), ("adam", &mut adam), ("random", &mut random)];
    io::checkpoint(&path, &parts).unwrap();
    let read = io::read(&path, Device::Cpu).unwrap();
    let weight = read.iter().find(|(name, _)| name == "model.0.weight");
    let right = model.parameters()[0].1.to_vec().unwrap();
    assert_eq!(weight.unwrap().1.to_vec().unwrap(), right);
    let integers = io::read_integers(&path).unwrap();
    let find = |name: &str| {
        let found = integers.iter().find(|(n, _)| n == name);
        found.unwrap_or_else(|| panic!("{name}")).1.values.clone()
    };
    assert_eq!(find("adam.steps"), [1]);
    // No float can represent these digits.
    assert_eq!(find("random.seed"), [i128::from(u64::MAX)]);
    assert!(read.iter().all(|(name, _)| !name.starts_with("random")));
}

#[test]
fn integers_of_every_type_are_read() {
    let _clean = clean();
    let path = folder("integers").join("m.safetensors");
    for (dtype, bytes, right) in [
        ("BOOL", &[1, 0][..], [1, 0]),
        ("U8", &[255, 3], [255, 3]),
        ("I8", &[255, 3], [-1, 3]),
        ("U16", &[254, 255, 1, 2], [65_534, 513]),
        ("I16", &[254, 255, 1, 2], [-2, 513]),
        ("U32", &[255, 255, 255, 255, 1, 0, 0, 0], [u32::MAX.into(), 1]),
        ("I32", &[0, 0, 0, 128, 1, 0, 0, 0], [i32::MIN.into(), 1]),
        (
            "U64",
            &[[255; 8], [1; 8]].concat(),
            [u64::MAX.into(), 0x0101_0101_0101_0101],
        ),
        ("I64", &[[255; 8], [1; 8]].concat(), [-1, 0x0101_0101_0101_0101]),
    ] {
        let header = format!(
            "{{\"x\":{{\"dtype\":\"{dtype}\",\"shape\":[2,1],\
             \"data_offsets\":[0,{}]}}}}",
            bytes.len()
        );
        let mut file = hostile(&header, 0);
        file.extend(bytes);
        fs::write(&path, file).unwrap();
        let integers = Integers { shape: vec![2, 1], values: right.into() };
        let expected = [("x".to_string(), integers)];
        assert_eq!(io::read_integers(&path).unwrap(), expected, "{dtype}");
        assert!(io::read(&path, Device::Cpu).unwrap().is_empty(), "{dtype}");
    }
    let none = io::read_integers(written_by_python("odd.safetensors"));
    assert!(none.unwrap().is_empty());
}
