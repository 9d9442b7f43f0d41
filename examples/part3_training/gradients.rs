//! Inspects a deep stack layer by layer before training.

use rungrad::Error;
use rungrad::nn::{Parameters, Sequential};
use rungrad::optim::Sgd;
use rungrad::part3_unified::{Device, Tensor, grad};
use rungrad::rng::Random;

use super::stack::{Around, Start, both, epoch, examined, inputs, stack};
use super::table::{show, words};

/// The statistics of a layer.
struct Seen {
    /// Standard deviation of its outputs.
    spread: f32,
    /// Norm of the gradient with respect to its outputs.
    comes_back: f32,
    /// Norm of the gradient with respect to its weights.
    weights: f32,
}

// ANCHOR: look
/// Runs forward and backward on 200 digits and inspects each layer.
fn look(network: &Sequential, device: Device) -> Result<Vec<Seen>, Error> {
    let rows = both().0.select(&(0..200).collect::<Vec<_>>());
    let mut outputs = vec![inputs(&rows, device)?];
    for module in &network.modules {
        outputs.push(module.forward(outputs.last().expect("the input")));
    }
    let outputs: Vec<&Tensor> = outputs[1..].iter().collect();
    let parameters = network.parameters().into_iter().map(|(_, p)| p);
    let weights: Vec<_> = parameters.filter(|p| p.rank() == 2).collect();

    let scores = outputs.last().expect("the last layer");
    let loss = scores.cross_entropy(&rows.labels);
    let back = grad(&[&loss], &outputs, false);
    let grads = grad(&[&loss], &weights, false);
    let layers = outputs.iter().zip(back.iter().zip(&grads));
    let seen = layers.map(|(output, (back, grad))| {
        let spread = output.std().item()?;
        let [comes_back, weights] = [back, grad].map(|it| it.norm().item());
        Ok(Seen { spread, comes_back: comes_back?, weights: weights? })
    });
    seen.collect()
}
// ANCHOR_END: look

/// Formats a number of any magnitude with two digits.
fn short(number: f32) -> String {
    match (0.1..1000.0).contains(&number) {
        true => format!("{number:.2}"),
        false => format!("{number:.0e}"),
    }
}

/// Trains three epochs without success, then prints the gradients.
pub(crate) fn stuck(device: Device) -> Result<(), Error> {
    let mut network = stack(Start::Normal(0.05), Around::Nothing, 0);
    network.to(device)?;
    let seen = look(&network, device)?;
    let (learned, held_out) = both();
    let (mut sgd, mut random) = (Sgd::new(0.1, 0.9), Random::new(0));
    for number in 1..=3 {
        let loss = epoch(&mut network, &mut sgd, &learned, &mut random)?;
        let right = 100.0 * examined(&network, &held_out)?[1];
        println!("epoch {number}  loss {loss:.3}  right {right:.1} %");
    }
    println!();
    let mut rows = vec![words(&["layer", "output", "gradient", "weights"])];
    for (at, Seen { spread, comes_back, weights }) in (1..).zip(seen) {
        let layer = [at.to_string()].into_iter();
        let found = [spread, comes_back, weights].map(short);
        rows.push(layer.chain(found).collect());
    }
    show(&rows);
    Ok(())
}

/// Compares several initializations.
pub(crate) fn starts(device: Device) -> Result<(), Error> {
    let starts = [
        ("0.05", Start::Normal(0.05)),
        ("PyTorch's", Start::Torch),
        ("Xavier", Start::Xavier),
        ("Kaiming", Start::Kaiming),
        ("0.5", Start::Normal(0.5)),
    ];
    let stacks =
        starts.map(|(name, start)| (name, stack(start, Around::Nothing, 0)));
    compare(stacks, 0.02, device)
}

/// Repeats the failed initialization with normalization and residuals around
/// each layer.
pub(crate) fn around(device: Device) -> Result<(), Error> {
    let arounds = [
        ("nothing", Around::Nothing),
        ("LayerNorm", Around::LayerNorm),
        ("BatchNorm", Around::BatchNorm),
        ("Residual", Around::Residual),
        ("norm, skip", Around::NormAndResidual),
    ];
    let start = Start::Normal(0.05);
    let stacks = arounds.map(|(name, around)| (name, stack(start, around, 0)));
    compare(stacks, 0.005, device)
}

/// Prints one column per network: its statistics before the first step, and
/// the results of two epochs.
fn compare(
    networks: [(&str, Sequential); 5],
    rate: f32,
    device: Device,
) -> Result<(), Error> {
    let (learned, held_out) = both();
    let names = [
        "",
        "output, layer 1",
        "output, layer 10",
        "gradient, layer 1",
        "gradient, layer 10",
        "loss, epoch 1",
        "loss, epoch 2",
        "right",
    ];
    let mut rows = names.map(|name| words(&[name]));
    for (name, mut network) in networks {
        network.to(device)?;
        let seen = look(&network, device)?;
        let [first, tenth] = [&seen[0], &seen[9]];
        let mut column = vec![name.to_string()];
        let found =
            [first.spread, tenth.spread, first.comes_back, tenth.comes_back];
        column.extend(found.map(short));
        let (mut sgd, mut random) = (Sgd::new(rate, 0.9), Random::new(0));
        for _ in 0..2 {
            let loss = epoch(&mut network, &mut sgd, &learned, &mut random)?;
            column.push(format!("{loss:.3}"));
        }
        let right = examined(&network, &held_out)?[1];
        column.push(format!("{:.1} %", 100.0 * right));
        for (row, cell) in rows.iter_mut().zip(column) {
            row.push(cell);
        }
    }
    show(&rows);
    Ok(())
}
