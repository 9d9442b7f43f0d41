//! Weights are exchanged with PyTorch in both directions.
//! `tests/vectors/torch_digits.py` trained a network on the digits, and wrote
//! its weights and its scores for the first 32 digits.

use std::path::Path;
use std::process::Command;

use rungrad::data::digits;
use rungrad::io;
use rungrad::nn::{Linear, Module, Parameters, Sequential};
use rungrad::part3_unified::{Device, Tensor, no_grad};
use rungrad::rng::Random;

use super::devices;
use super::files::{folder, sentence, values, written_by_python};
use testkit::clean;
use testkit::device::skip_by_name;

fn network(seed: u64) -> Sequential {
    let mut random = Random::new(seed);
    Sequential::new()
        .then(Linear::new(64, 16, &mut random))
        .then(Tensor::relu)
        .then(Linear::new(16, 16, &mut random))
        .then(Tensor::relu)
        .then(Linear::new(16, 10, &mut random))
}

fn is_weight(name: &str) -> bool {
    name.ends_with("weight")
}

fn pytorch_network() -> Sequential {
    let mut network = network(1);
    let path = written_by_python("torch_digits.safetensors");
    io::load_turned(path, &mut network, is_weight).unwrap();
    network
}

/// Returns the scores of a network for the first 32 digits, with shape (32,
/// 10).
fn scores(network: &Sequential, device: Device) -> Tensor {
    let rows = digits().select(&(0..32).collect::<Vec<_>>());
    let x = Tensor::new(&rows.shape(), &rows.inputs, device).unwrap();
    no_grad(|| network.forward(&x))
}

fn max_difference(a: &[f32], b: &[f32]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

/// Promise: Weights from PyTorch give the outputs of PyTorch on every device.
#[test]
fn pytorch_weights_give_the_scores_of_pytorch() {
    let _clean = clean();
    let path = written_by_python("torch_scores.safetensors");
    let right = io::read(path, Device::Cpu).unwrap().remove(0).1;
    assert_eq!(right.shape(), [32, 10]);
    let right = right.to_vec().unwrap();
    for device in devices() {
        let mut network = pytorch_network();
        network.to(device).unwrap();
        let ours = scores(&network, device).to_vec().unwrap();
        let apart = max_difference(&ours, &right);
        assert!(apart < 1e-4, "{apart} apart on {device}");
    }
    // One layer is square, so its shape does not show that it must be
    // transposed.
    let mut wrong = pytorch_network();
    let square = &mut wrong.parameters_mut()[2];
    assert_eq!(square.0, "2.weight");
    let turned = square.1.detach().transpose().to_vec().unwrap();
    let turned = Tensor::new(&[16, 16], &turned, Device::Cpu).unwrap();
    *square.1 = turned.requires_grad();
    let ours = scores(&wrong, Device::Cpu).to_vec().unwrap();
    assert!(
        max_difference(&ours, &right) > 1.0,
        "the difference is too small to see"
    );
}

/// Promise: PyTorch computes the same outputs from weights that were saved
/// here.
#[test]
fn pytorch_computes_the_same_scores_from_our_file() {
    let _clean = clean();
    let named = std::env::var("RUNGRAD_PYTHON").ok();
    let python = named.unwrap_or("python3".to_string());
    let import = ["-c", "import torch, safetensors, numpy"];
    let has = Command::new(&python).args(import).output();
    if !has.is_ok_and(|it| it.status.success()) {
        return skip_by_name("python3 with torch, safetensors and numpy");
    }
    let folder = folder("travels");
    let [weights, said] = ["weights", "scores"].map(|name| folder.join(name));
    let network = network(2);
    io::save_turned(&weights, &network, is_weight).unwrap();
    let scores = scores(&network, Device::Cpu);
    io::write(&said, [("scores", &scores)]).unwrap();
    let check = |weights: &Path| {
        let mut script = Command::new(&python);
        script.arg(written_by_python("torch_digits.py")).arg("check");
        script.arg(testkit::place::root().join("data/digits.csv.gz"));
        let run = script.args([weights, &said]).output().unwrap();
        let said = String::from_utf8_lossy(&run.stdout).into_owned();
        let error = String::from_utf8_lossy(&run.stderr);
        assert!(said.starts_with("32 digits, scores at most "), "{error}");
        (run.status.success(), said)
    };
    let (is_same, words) = check(&weights);
    assert!(is_same, "{words}");
    // The script detects a difference.
    let other = folder.join("other");
    io::save_turned(&other, &self::network(3), is_weight).unwrap();
    assert!(!check(&other).0, "other weights say the same");
}

#[test]
fn save_turned_and_load_turned_are_inverse() {
    let _clean = clean();
    let path = folder("there_and_back").join("m.safetensors");
    let (network, mut again) = (network(4), network(5));
    io::save_turned(&path, &network, is_weight).unwrap();
    let read = io::read(&path, Device::Cpu).unwrap();
    let shape = |name: &str| {
        let found = read.iter().find(|(n, _)| n == name).unwrap();
        found.1.shape().to_vec()
    };
    assert_eq!((shape("0.weight"), shape("0.bias")), (vec![16, 64], vec![16]));
    io::load_turned(&path, &mut again, is_weight).unwrap();
    assert_eq!(values(&again), values(&network));
}

#[test]
fn load_turned_rejects_wrong_selections() {
    let _clean = clean();
    let path = folder("not_turned").join("m.safetensors");
    let mut model = network(1);
    let before = values(&model);
    io::save(&path, &model).unwrap();
    let none = io::load_turned(&path, &mut model, |_| false);
    let none = sentence("a load that turns nothing", none);
    assert!(none.starts_with("no parameter is selected to be transposed;"));
    let bias = io::load_turned(&path, &mut model, |_| true);
    assert_eq!(
        sentence("a load that turns a bias", bias),
        format!(
            "{}: tensor \"0.weight\" has shape [16, 64], but the model has \
             [64, 16]; load a file of this model",
            path.display()
        )
    );
    let alone = |name: &str| name == "0.bias";
    let bias = io::load_turned(&path, &mut model, alone);
    let file = path.display();
    assert_eq!(
        sentence("a load that turns a bias alone", bias),
        format!(
            "{file}: tensor \"0.bias\" has shape [16], but only a matrix can \
             be transposed; select only the weights of linear layers"
        )
    );
    assert_eq!(values(&model), before);
    let saved = io::save_turned(&path, &model, alone);
    assert_eq!(
        sentence("a save that turns a bias", saved),
        "save_turned: 0.bias has shape [16], but only a matrix can be \
         transposed; select only the weights of linear layers"
    );
    // The model still has its earlier weights.
    io::load(&path, &mut model).unwrap();
    assert_eq!(values(&model), before);
}
