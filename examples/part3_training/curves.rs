//! Training curves of a two-layer network on the digits: learning rates, a
//! warm-up, a batch of bad data, and a small training set.

use std::path::Path;

use rungrad::Error;
use rungrad::draw::{Color, Mark, Series, plot, save};
use rungrad::nn::{Dropout, Linear, Module, Parameters, Sequential};
use rungrad::optim::{Adam, Optimizer, Schedule, Sgd, clip_grad_norm};
use rungrad::part3_unified::{Device, Tensor};
use rungrad::rng::Random;

use super::stack::{
    Around, BATCH, Start, WIDTH, both, epoch, examined, inputs, stack,
};
use super::table::{numbers, show, words};

/// 64 inputs, a hidden layer followed by dropout, and ten scores.
fn network(
    hidden: usize,
    share: f32,
    device: Device,
) -> Result<Sequential, Error> {
    let random = &mut Random::new(0);
    let mut network = Sequential::new()
        .then(Linear::new(WIDTH, hidden, random))
        .then(Tensor::relu)
        .then(Dropout::new(share, random))
        .then(Linear::new(hidden, 10, random));
    network.to(device)?;
    Ok(network)
}

const RATES: [(f32, Color); 3] =
    [(0.02, Color::Value), (0.5, Color::Cpu), (2.0, Color::Grad)];

/// Prints the validation loss every five steps, for several learning rates.
pub(crate) fn rates(device: Device) -> Result<(), Error> {
    let (learned, held_out) = both();
    let mut series = Vec::new();
    let mut rows = vec![words(&["step", "rate 0.02", "0.5", "2"])];
    rows.extend(
        [0, 15, 45, 90, 135].map(|at: usize| words(&[&at.to_string()])),
    );
    for (rate, color) in RATES {
        let mut network = network(64, 0.0, device)?;
        let mut sgd = Sgd::new(rate, 0.0);
        let mut random = Random::new(0);
        let mut points = vec![(0.0, examined(&network, &held_out)?[0])];
        let mut step = 0;
        for _ in 0..3 {
            for batch in learned.batches(BATCH, &mut random) {
                let scores = network.forward(&inputs(&batch, device)?);
                scores.cross_entropy(&batch.labels).backward();
                sgd.step(network.parameters_mut());
                step += 1;
                if step % 5 == 0 {
                    let loss = examined(&network, &held_out)?[0];
                    points.push((step as f32, loss));
                }
            }
        }
        for row in &mut rows[1..] {
            let at: usize = row[0].parse().expect("a step");
            row.push(format!("{:.3}", points[at / 5].1));
        }
        let (name, mark) = (format!("rate {rate}"), Mark::Line);
        series.push(Series { name, mark, color, points });
    }
    show(&rows);
    let svg = plot(
        "rates",
        "The loss of held-out digits over 135 steps, for three learning rates: \
         with the smallest it falls slowly, with the middle one quickly, and \
         with the largest it jumps up and down and stays high.",
        ["step", "loss"],
        &series,
    );
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("target/rates.svg");
    save(&path, svg.as_bytes())?;
    println!("the curves are in {}", path.display());
    Ok(())
}

/// Trains a deep network at a learning rate that is too large for its first
/// steps, and prints the mean loss of the second epoch for three seeds.
pub(crate) fn warm_up(device: Device) -> Result<(), Error> {
    const STEPS: usize = 90;
    let learned = both().0;
    let rates = [
        ("constant", Schedule::constant(0.01)),
        ("cosine", Schedule::cosine(0.01, STEPS)),
        ("warm-up, cosine", Schedule::cosine(0.01, STEPS).warm_up(30)),
    ];
    let mut rows = vec![words(&["", "seed 0", "seed 1", "seed 2"])];
    for (name, rates) in rates {
        let mut losses = Vec::new();
        for seed in 0..3 {
            let mut network = stack(Start::Kaiming, Around::Nothing, seed);
            network.to(device)?;
            let (mut adam, mut random) = (Adam::new(0.0), Random::new(0));
            let (mut step, mut total) = (0, Tensor::zeros(&[], device)?);
            while step < STEPS {
                total = total.zeros_like();
                // ANCHOR: scheduled
                for batch in learned.batches(BATCH, &mut random) {
                    let scores = network.forward(&inputs(&batch, device)?);
                    let loss = scores.cross_entropy(&batch.labels);
                    loss.backward();
                    adam.set_learning_rate(rates.rate(step));
                    adam.step(network.parameters_mut());
                    total += loss.detach() * batch.rows() as f32;
                    step += 1;
                }
                // ANCHOR_END: scheduled
            }
            losses.push(total.item()? / learned.rows() as f32);
        }
        rows.push(numbers(name, &losses, 3));
    }
    show(&rows);
    Ok(())
}

/// Trains with one batch whose pixels were not divided by 16, with gradient
/// clipping and without.
pub(crate) fn odd_batch(device: Device) -> Result<(), Error> {
    const ODD: usize = 40;
    let learned = both().0;
    let shown = [38, 39, 40, 41, 42, 43, 44, 50, 60, 90];
    let mut rows =
        vec![words(&["step", "loss", "gradient", "clipped: loss", "gradient"])];
    rows.extend(shown.map(|step: usize| words(&[&step.to_string()])));
    for most in [f32::INFINITY, 1.0] {
        let mut network = network(64, 0.0, device)?;
        let (mut sgd, mut random) = (Sgd::new(0.1, 0.9), Random::new(0));
        let mut step = 0;
        for _ in 0..2 {
            for mut batch in learned.batches(BATCH, &mut random) {
                step += 1;
                if step == ODD {
                    batch.inputs.iter_mut().for_each(|pixel| *pixel *= 16.0);
                }
                let scores = network.forward(&inputs(&batch, device)?);
                let loss = scores.cross_entropy(&batch.labels);
                loss.backward();
                let length = clip_grad_norm(&network.parameters(), most);
                sgd.step(network.parameters_mut());
                if let Some(at) = shown.iter().position(|it| *it == step) {
                    let seen = [loss.item()?, length.item()?];
                    rows[at + 1].extend(numbers("", &seen, 2).drain(1..));
                }
            }
        }
    }
    show(&rows);
    Ok(())
}

/// Trains on digits of which a quarter have random labels, with dropout and
/// without.
pub(crate) fn by_heart(device: Device) -> Result<(), Error> {
    let (learned, held_out) = both();
    let mut few = learned.select(&(0..300).collect::<Vec<_>>());
    let mut random = Random::new(3);
    few.labels[..75].fill_with(|| random.below(10));
    let mut rows = vec![words(&[
        "epochs",
        "learned",
        "held out",
        "right",
        "dropout: learned",
        "held out",
        "right",
    ])];
    rows.extend([10, 20, 30, 40].map(|at: usize| words(&[&at.to_string()])));
    for share in [0.0, 0.5] {
        let mut network = network(128, share, device)?;
        let (mut sgd, mut random) = (Sgd::new(0.1, 0.9), Random::new(0));
        for row in &mut rows[1..] {
            for _ in 0..10 {
                epoch(&mut network, &mut sgd, &few, &mut random)?;
            }
            let [loss, _] = examined(&network, &few)?;
            let [held_out, right] = examined(&network, &held_out)?;
            row.extend(numbers("", &[loss, held_out], 3).drain(1..));
            row.push(format!("{:.1} %", 100.0 * right));
        }
    }
    show(&rows);
    Ok(())
}
