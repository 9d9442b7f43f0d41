//! Trains a convolutional network on handwritten digits, on the device that
//! you name, and shows what its first filters have learned.

mod picture;
mod request;
mod training;

use std::path::Path;
use std::process::ExitCode;

use rungrad::ConvOptions;
use rungrad::Error;
use rungrad::data::{Dataset, SPLIT_SEED, digits};
use rungrad::draw::save;
use rungrad::nn::{Parameters, Sequential};
use rungrad::part3_unified::{Tensor, no_grad};
use rungrad::progress::Progress;

use request::{HELP, Request};
use training::{images, train};

fn main() -> ExitCode {
    rungrad::run_with_help(HELP, || {
        let request = Request::of(&rungrad::args())?;
        if let Some(splits) = request.splits {
            return train_on_splits(splits, &request);
        }
        let split = match request.last_fifth {
            false => digits().split(SPLIT_SEED),
            true => digits().split_in_order(),
        };
        let network = train_once(&split, &request)?;
        println!("\n{}\n", network.summary());
        draw(&network, &split.1)
    })
}

/// Trains once and prints each epoch.
fn train_once(
    split: &(Dataset, Dataset),
    request: &Request,
) -> Result<Sequential, Error> {
    let &Request { device, seed, epochs, .. } = request;
    println!("{} digits to learn on {device}", split.0.rows());
    let progress = Progress::new(epochs);
    let mut done = 0;
    train(split, seed, epochs, device, |epoch| {
        done += 1;
        let words = format!(
            "loss {:.3}  held out {:.3}  right {:.1} %",
            epoch.loss,
            epoch.held_out,
            100.0 * epoch.accuracy
        );
        progress.show(done, &words);
    })
}

/// Trains on several splits, the same as in the chapter "Train the digits".
fn train_on_splits(splits: u64, request: &Request) -> Result<(), Error> {
    let digits = digits();
    let mut sum = 0.0;
    for split in 0..splits {
        let mut accuracy = 0.0;
        let &Request { device, seed, epochs, .. } = request;
        let rows = digits.split(split);
        train(&rows, seed, epochs, device, |epoch| accuracy = epoch.accuracy)?;
        println!("split {split}  right {:.1} %", 100.0 * accuracy);
        sum += accuracy;
    }
    println!("mean     right {:.1} %", 100.0 * sum / splits as f32);
    Ok(())
}

/// Draws the first filters and their response to the first digit of the test
/// set, as `target/filters.svg`.
fn draw(network: &Sequential, held_out: &Dataset) -> Result<(), Error> {
    let parameters = network.parameters();
    let (filters, bias) = (parameters[0].1, parameters[1].1);
    let digit = held_out.select(&[0]);
    let device = filters.device();
    let image = images(&Tensor::new(&[1, 64], &digit.inputs, device)?);
    let same = ConvOptions::new().padding([1, 1]);
    let seen = || image.conv2d(filters, Some(bias), &same).relu();
    let seen = no_grad(seen).to_vec()?;
    let svg = picture::svg(&digit, &filters.to_vec()?, &seen);
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("target/filters.svg");
    save(&path, svg.as_bytes())?;
    println!("the filters are in {}", path.display());
    Ok(())
}
