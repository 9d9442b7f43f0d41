//! Trains a network on handwritten digits and tests it on digits it has not
//! seen.

mod request;
mod training;

use std::path::Path;
use std::process::ExitCode;

use rungrad::Error;
use rungrad::data::{Dataset, SPLIT_SEED, digits};
use rungrad::draw::{Color, Mark, Series, plot, save};
use rungrad::metrics::{ConfusionMatrix, predictions};
use rungrad::progress::Progress;

use request::{HELP, request};
use training::{Epoch, scores, train};

fn main() -> ExitCode {
    rungrad::run_with_help(HELP, || {
        let words = rungrad::args();
        let request = request(&words)?;
        let seed = request.seed.unwrap_or(0);
        if let Some(splits) = request.splits {
            train_on_splits(splits, seed, request.epochs);
            return Ok(());
        }
        let split = match request.last_fifth {
            false => digits().split(SPLIT_SEED),
            true => digits().split_in_order(),
        };
        let (rows, held_out) = (split.0.rows(), split.1.rows());
        println!("{rows} digits in the training set, {held_out} held out");
        match request.seeds {
            Some(seeds) => train_with_seeds(&split, seeds, request.epochs),
            None => train_once(&split, seed, request.epochs)?,
        }
        Ok(())
    })
}

/// Trains once and prints the results.
fn train_once(
    split: &(Dataset, Dataset),
    seed: u64,
    epochs: usize,
) -> Result<(), Error> {
    let progress = Progress::new(epochs);
    let mut course: Vec<Epoch> = Vec::new();
    let network = train(split, seed, epochs, |epoch| {
        let words = format!(
            "loss {:.3}  held out {:.3}  right {:.1} %",
            epoch.loss,
            epoch.held_out,
            100.0 * epoch.accuracy
        );
        course.push(epoch);
        progress.show(course.len(), &words);
    });
    let held_out = &split.1;
    let predictions = predictions(&scores(&network, held_out).to_vec(), 10);
    let table = ConfusionMatrix::new(&held_out.labels, &predictions, 10);
    println!("\n{table}\n");
    draw(&course)
}

/// Trains with several seeds, because a single seed may be lucky.
fn train_with_seeds(split: &(Dataset, Dataset), seeds: u64, epochs: usize) {
    let mut sum = 0.0;
    for seed in 0..seeds {
        let accuracy = last_accuracy(split, seed, epochs);
        println!("seed {seed}  right {:.1} %", 100.0 * accuracy);
        sum += accuracy;
    }
    println!("mean    right {:.1} %", 100.0 * sum / seeds as f32);
}

/// Trains with one seed on several splits, because a single test set may be
/// lucky too.
fn train_on_splits(splits: u64, seed: u64, epochs: usize) {
    let digits = digits();
    let mut sum = 0.0;
    for split in 0..splits {
        let accuracy = last_accuracy(&digits.split(split), seed, epochs);
        println!("split {split}  right {:.1} %", 100.0 * accuracy);
        sum += accuracy;
    }
    println!("mean     right {:.1} %", 100.0 * sum / splits as f32);
}

fn last_accuracy(split: &(Dataset, Dataset), seed: u64, epochs: usize) -> f32 {
    let mut accuracy = 0.0;
    train(split, seed, epochs, |epoch| accuracy = epoch.accuracy);
    accuracy
}

/// Draws the losses per epoch into `target/digits-loss.svg`.
fn draw(course: &[Epoch]) -> Result<(), Error> {
    let line = |name: &str, color, loss: fn(&Epoch) -> f32| Series {
        name: name.to_string(),
        mark: Mark::Line,
        color,
        points: (1..).zip(course).map(|(n, e)| (n as f32, loss(e))).collect(),
    };
    let svg = plot(
        "digits-loss",
        "The loss falls from epoch to epoch, on the training set and on the \
         test set.",
        ["epoch", "loss"],
        &[
            line("training set", Color::Value, |epoch| epoch.loss),
            line("test set", Color::Grad, |epoch| epoch.held_out),
        ],
    );
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("target/digits-loss.svg");
    save(&path, svg.as_bytes())?;
    println!("the losses are in {}", path.display());
    Ok(())
}
