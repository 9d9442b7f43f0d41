//! Layers have the values and gradients of PyTorch on every device, eager and
//! lazy. `tests/vectors/make_networks.py` wrote the expected values.

use rungrad::ConvOptions;
use rungrad::nn::{
    AvgPool2d, BatchNorm, Buffer, Conv2d, Dropout, Embedding, LayerNorm,
    Linear, MaxPool2d, Module, Parameters, Residual, Sequential, init,
};
use rungrad::part3_unified::{Device, Tensor, Window};
use rungrad::rng::Random;
use rungrad::{attempt, ledger};
use serde_json::Value;

use super::devices;
use super::images::{sizes, tensor, values};
use super::training::eager_and_lazy;
use super::{constant, leaf, third};
use testkit::clean;
use testkit::refusal::refusal;

pub(super) fn vectors() -> Value {
    serde_json::from_str(include_str!("../vectors/networks.json")).unwrap()
}

fn number(options: &Value, name: &str) -> f32 {
    options[name].as_f64().expect(name) as f32
}

/// Applies a layer with these parameters to the first operand.
fn call(name: &str, options: &Value, of: &[Tensor]) -> Tensor {
    match (name, of) {
        ("gaussian unit", [x]) => x.gelu(),
        ("gaussian unit, by tanh", [x]) => x.gelu_tanh(),
        ("layer_norm", [x, weight, bias]) => {
            let (weight, bias) = (weight.clone(), bias.clone());
            let epsilon = number(options, "eps");
            LayerNorm { weight, bias, epsilon }.forward(x)
        }
        ("linear", [x, weight, bias]) => {
            let (weight, bias) = (weight.clone(), bias.clone());
            Linear { weight, bias }.forward(x)
        }
        ("embedding", [weight]) => {
            let words = sizes(&options["words"]);
            Embedding { weight: weight.clone() }.rows(&words)
        }
        _ => panic!("{name} is called nowhere"),
    }
}

#[track_caller]
fn near(yours: &Tensor, right: &Value, what: &str) {
    assert_eq!(yours.shape(), sizes(&right["shape"]), "{what}");
    let right = values(right);
    let size = right.iter().fold(1.0_f32, |most, x| most.max(x.abs()));
    for (yours, right) in yours.to_vec().unwrap().iter().zip(&right) {
        let near = (yours - right).abs() <= 4e-6 * size;
        assert!(near, "{what}: {yours}, not {right}");
    }
}

/// Compares a result and the gradients of its operands.
fn agrees(case: &Value, out: &Tensor, of: &[Tensor], what: &str) {
    near(out, &case["out"], &format!("{what}, the result"));
    out.backward_with(&tensor(&case["above"], out.device()));
    for (i, leaf) in of.iter().enumerate() {
        let grad = leaf.grad().expect("a gradient");
        near(&grad, &case["grads"][i], &format!("{what}, gradient {i}"));
    }
}

fn operands(case: &Value, device: Device) -> Vec<Tensor> {
    let of = case["operands"].as_array().expect("operands").iter();
    of.map(|it| tensor(it, device).requires_grad()).collect()
}

#[test]
fn layers_agree_with_pytorch() {
    let _clean = clean();
    let all = vectors();
    let cases = all["cases"].as_array().expect("cases");
    assert_eq!(cases.len(), 11);
    for device in eager_and_lazy() {
        for case in cases {
            let name = case["call"].as_str().expect("a name");
            let what = format!("{name} {} on {device}", case["options"]);
            let of = operands(case, device);
            if name == "batch_norm" {
                batch_norm(case, &of, &what);
                continue;
            }
            agrees(case, &call(name, &case["options"], &of), &of, &what);
        }
    }
}

/// Checks the second of two training batches, then an evaluation.
fn batch_norm(case: &Value, of: &[Tensor], what: &str) {
    let device = of[0].device();
    let [weight, bias] = [&of[1], &of[2]].map(Tensor::clone);
    let (channels, options) = (weight.len(), &case["options"]);
    let mut norm = BatchNorm::new(channels);
    norm.epsilon = number(options, "eps");
    norm.momentum = number(options, "momentum");
    norm.to(device).unwrap();
    (norm.weight, norm.bias) = (weight, bias);
    let _ = norm.forward(&tensor(&case["first"], device));
    agrees(case, &norm.forward(&of[0]), of, what);
    let kept = |running: &Buffer, name: &str| {
        let running = running.get();
        assert_eq!(running.device(), device, "{what}, {name}");
        assert!(!running.records(), "{what}, {name}");
        near(&running, &case[name], &format!("{what}, {name}"));
    };
    kept(&norm.running_mean, "running_mean");
    kept(&norm.running_var, "running_var");
    norm.eval();
    for _ in 0..2 {
        let out = norm.forward(&of[0]);
        near(&out, &case["in evaluation"], &format!("{what}, in evaluation"));
    }
}

#[test]
fn batch_norm_training_rejects_one_value_per_channel() {
    let _clean = clean();
    let norm = BatchNorm::new(3);
    let two = constant(&[1.0, 2.0, 3.0, 4.0, 6.0, 8.0]).reshape(&[2, 3]);
    assert_eq!(BatchNorm::new(3).forward(&two).shape(), [2, 3]);
    let x = constant(&[1.0, 2.0, 3.0]).reshape(&[1, 3]);
    let refused = attempt(|| norm.forward(&x)).unwrap_err().to_string();
    let right = "BatchNorm: a batch of shape [1, 3] has 1 numbers for each";
    assert!(refused.starts_with(right), "{refused}");
    assert_eq!(norm.running_mean.get().to_vec().unwrap(), [0.0; 3]);
    norm.eval();
    assert_eq!(norm.forward(&x).shape(), [1, 3]);
    let refused = attempt(|| norm.forward(&x.reshape(&[3, 1])));
    let refused = refused.unwrap_err().to_string();
    assert!(refused.contains("must be the 3 channels"), "{refused}");
}

fn dropout(share: f32, seed: u64) -> Dropout {
    Dropout::new(share, &mut Random::new(seed))
}

#[test]
fn dropout_drops_the_same_elements_on_every_device() {
    let _clean = clean();
    let masks = |device: Device| {
        let dropout = dropout(0.25, 3);
        let x = Tensor::ones(&[100, 50], device).unwrap();
        [(); 2].map(|()| dropout.forward(&x).to_vec().unwrap())
    };
    let [first, second] = masks(Device::Cpu);
    assert_ne!(first, second, "each forward pass draws a new mask");
    for mask in [&first, &second] {
        assert!(mask.iter().all(|x| [0.0, 4.0 / 3.0].contains(x)));
        let dropped = mask.iter().filter(|x| **x == 0.0).count();
        // A quarter of 5,000, whose standard deviation is 31; four standard
        // deviations are allowed.
        assert!((1130..=1370).contains(&dropped), "{dropped}");
    }
    for device in eager_and_lazy() {
        assert_eq!(masks(device), [first.clone(), second.clone()], "{device}");
    }
}

#[test]
fn dropout_layers_have_independent_masks() {
    let _clean = clean();
    let mut random = Random::new(1);
    let x = Tensor::ones(&[40], Device::Cpu).unwrap();
    let mut masks: Vec<Vec<f32>> = (0..3)
        .map(|_| Dropout::new(0.5, &mut random))
        .map(|dropout| dropout.forward(&x).to_vec().unwrap())
        .collect();
    masks.push(dropout(0.5, 2).forward(&x).to_vec().unwrap());
    masks.sort_by(|a, b| a.partial_cmp(b).unwrap());
    masks.dedup();
    assert_eq!(masks.len(), 4);
}

#[test]
fn dropped_elements_get_no_gradient() {
    let _clean = clean();
    for device in devices() {
        let x = Tensor::ones(&[40], device).unwrap().requires_grad();
        let y = dropout(0.5, 1).forward(&x);
        y.sum().backward();
        let (y, grad) = (y.to_vec(), x.grad().unwrap().to_vec());
        assert_eq!(y.unwrap(), grad.unwrap(), "{device}");
    }
}

#[test]
fn dropout_accepts_probabilities_from_0_to_1() {
    let _clean = clean();
    let x = leaf(&[1.0, 2.0, 3.0]);
    assert_eq!(dropout(0.0, 1).forward(&x).id(), x.id());
    let none = dropout(1.0, 1).forward(&x);
    assert_eq!(none.to_vec().unwrap(), [0.0; 3]);
    for share in [-0.1, 1.1, f32::NAN] {
        let refused = attempt(|| dropout(share, 1)).unwrap_err().to_string();
        assert!(refused.starts_with("Dropout: a share of"), "{refused}");
    }
}

fn network(random: &mut Random) -> Sequential {
    let same = ConvOptions::new().padding([1, 1]);
    let block = Sequential::new()
        .then(Conv2d::kaiming_uniform(4, 4, [3, 3], same, random))
        .then(BatchNorm::new(4))
        .then(Dropout::new(0.5, random));
    Sequential::new()
        .then(Conv2d::new(1, 4, [3, 3], same, random))
        .then(MaxPool2d::new([2, 2]))
        .then(Residual { inner: block })
        .then(AvgPool2d { window: Window::new([2, 2]) })
}

#[test]
fn buffers_are_named_by_their_path() {
    let _clean = clean();
    let network = network(&mut Random::new(1));
    let buffers = network.buffers();
    let names: Vec<&str> = buffers.iter().map(|it| &it.0[..]).collect();
    let right = ["2.inner.1.running_mean", "2.inner.1.running_var"];
    assert_eq!(names, right);
    let generators = network.generators();
    let names: Vec<&str> = generators.iter().map(|it| &it.0[..]).collect();
    assert_eq!(names, ["2.inner.2.generator"]);
    let shown = "Sequential [Conv2d [4, 1, 3, 3], MaxPool2d [2, 2], Residual \
                 Sequential, AvgPool2d [2, 2]]";
    assert_eq!(format!("{network:?}"), shown);
}

#[test]
fn a_model_moves_with_its_buffers() {
    let _clean = clean();
    for device in eager_and_lazy() {
        let mut network = network(&mut Random::new(1));
        network.to(device).unwrap();
        for (name, buffer) in network.buffers() {
            assert_eq!(buffer.get().device(), device, "{name}");
        }
        let x = Tensor::rand(&[2, 1, 6, 6], 1, device).unwrap();
        network.forward(&x).sum().backward();
        for (name, parameter) in network.parameters() {
            assert!(parameter.grad().is_some(), "{name} on {device}");
        }
    }
}

#[test]
fn a_failed_move_of_a_buffer_moves_nothing() {
    let _clean = clean();
    for room in [0, 1, 3, 5] {
        let mut network = network(&mut Random::new(1));
        let moved = third::with_room_for(room, || network.to(third::device()));
        assert!(moved.is_err());
        let parameters = network.parameters();
        assert!(parameters.iter().all(|(_, p)| p.device() == Device::Cpu));
        let buffers = network.buffers();
        assert!(buffers.iter().all(|b| b.1.get().device() == Device::Cpu));
    }
}

/// Evaluation does not depend on the batch or on the call; training continues
/// with its own state afterwards.
#[test]
fn train_and_eval_reach_every_layer() {
    let _clean = clean();
    let network = network(&mut Random::new(1));
    let x = Tensor::rand(&[2, 1, 6, 6], 1, Device::Cpu).unwrap();
    let forward = || network.forward(&x).to_vec().unwrap();
    assert_ne!(forward(), forward());
    let kept = || {
        let buffers = network.buffers().into_iter();
        let kept = buffers.map(|(_, it)| it.get().to_vec().unwrap());
        let states = network.generators().into_iter().map(|it| it.1.state());
        (kept.collect::<Vec<_>>(), states.collect::<Vec<_>>())
    };
    let before = kept();
    network.eval();
    assert_eq!(forward(), forward());
    assert_eq!(kept(), before);
    network.train();
    assert_ne!(forward(), forward());
    assert_ne!(kept().0, before.0);
    assert_ne!(kept().1, before.1);
}

#[test]
fn a_generator_continues_from_its_state() {
    let _clean = clean();
    let (first, other) = (dropout(0.5, 1), dropout(0.5, 2));
    let x = Tensor::ones(&[20], Device::Cpu).unwrap();
    let forward = |it: &Dropout| it.forward(&x).to_vec().unwrap();
    forward(&first);
    other.generator.set_state(first.generator.state());
    for _ in 0..3 {
        assert_eq!(forward(&first), forward(&other));
    }
}

/// The row of a word gets the sum of the gradients at its positions, and an
/// unused row gets 0.
#[test]
fn embedding_agrees_with_a_one_hot_matmul() {
    let _clean = clean();
    for device in devices() {
        let mut table = Embedding::new(5, 3, &mut Random::new(1));
        table.to(device).unwrap();
        let words = [4, 0, 4];
        let grads = [
            table.rows(&words),
            table.forward(&Tensor::one_hot(&words, 5, device).unwrap()),
        ]
        .map(|rows| {
            rows.mul(&rows).sum().backward();
            let grad = table.weight.grad().unwrap().to_vec().unwrap();
            table.zero_grad();
            (rows.to_vec().unwrap(), grad)
        });
        assert_eq!(grads[0], grads[1], "{device}");
    }
}

/// The bounds and the distribution of PyTorch's `reset_parameters`, and its
/// normal distribution for an embedding.
#[test]
fn initial_weights_are_distributed_as_in_pytorch() {
    let _clean = clean();
    let mut random = Random::new(5);
    let linear = Linear::kaiming_uniform(25, 400, &mut random);
    let groups = ConvOptions::new().groups(2);
    let conv = Conv2d::kaiming_uniform(8, 200, [5, 5], groups, &mut random);
    for (name, tensor, bound) in [
        ("linear weight", &linear.weight, 0.2),
        ("linear bias", &linear.bias, 0.2),
        ("conv weight", &conv.weight, 0.1),
        ("conv bias", &conv.bias, 0.1),
    ] {
        let most = tensor.abs().max().item().unwrap();
        assert!(most <= bound && most > 0.98 * bound, "{name}: {most}");
        let spread = tensor.std().item().unwrap() / bound * 3f32.sqrt();
        assert!((spread - 1.0).abs() < 0.08, "{name}: {spread}");
        assert!(tensor.mean().item().unwrap().abs() < 0.1 * bound, "{name}");
        assert!(tensor.records());
    }
    assert_eq!(conv.weight.shape(), [200, 4, 5, 5]);
    // PyTorch's calculate_gain and bound for a ReLU: sqrt(6 / inputs).
    let relu = init::kaiming_uniform(&[9, 500], 9, 0.0, &mut random);
    let most = relu.abs().max().item().unwrap();
    assert!((most - (6f32 / 9.0).sqrt()).abs() < 0.01, "{most}");
    let table = Embedding::new(100, 50, &mut random).weight;
    assert!((table.std().item().unwrap() - 1.0).abs() < 0.05);
    let again = |seed| Linear::kaiming_uniform(3, 3, &mut Random::new(seed));
    let [one, same, other] = [1, 1, 2].map(|seed| {
        let Linear { weight, bias } = again(seed);
        [weight, bias].map(|it| it.to_vec().unwrap()).concat()
    });
    assert!(one == same && one != other);
}

#[test]
fn linear_accepts_any_number_of_axes() {
    let _clean = clean();
    let layer = Linear::new(3, 2, &mut Random::new(1));
    for shape in [&[3][..], &[4, 3], &[2, 2, 3], &[2, 0, 3], &[1, 2, 2, 3]] {
        let x = Tensor::rand(shape, 1, Device::Cpu).unwrap();
        let mut right = shape.to_vec();
        *right.last_mut().unwrap() = 2;
        assert_eq!(layer.forward(&x).shape(), right);
    }
    let wide = constant(&[1.0; 4]);
    let refused = refusal(|| layer.forward(&wide));
    assert!(refused.starts_with("matmul: "), "{refused}");
}

#[test]
fn layer_norm_rejects_a_mismatched_width() {
    let _clean = clean();
    let refused = attempt(|| LayerNorm::new(3).forward(&constant(&[1.0; 4])));
    assert_eq!(
        refused.unwrap_err().to_string(),
        "layer_norm: a weight of shape [3] and a bias of [3] for [4]; both \
         must be as its last axes"
    );
}

#[test]
fn a_training_forward_does_not_read_from_the_device() {
    let _clean = clean();
    for device in devices() {
        let mut network = network(&mut Random::new(1));
        network.to(device).unwrap();
        let x = Tensor::rand(&[2, 1, 6, 6], 1, device).unwrap();
        let (_, counts) = ledger::measure(|| network.forward(&x));
        assert_eq!(counts.bytes_to_host, 0, "{device}");
    }
}
