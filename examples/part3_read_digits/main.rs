//! The network of "Windows and a product" reads a digit that you have drawn,
//! and shows the responses of its filters.

mod drawing;
mod form;
mod picture;
mod request;
mod show;
// Only some of the training functions are used here.
#[allow(dead_code)]
#[path = "../part3_filters/training.rs"]
mod training;

use std::io::Read;
use std::path::Path;
use std::process::ExitCode;
use std::{fs, io as std_io};

use rungrad::Error;
use rungrad::data::{Dataset, SPLIT_SEED, digits};
use rungrad::draw::save;
use rungrad::io;
use rungrad::metrics::{accuracy, predictions};
use rungrad::nn::{Module, Parameters, Sequential};
use rungrad::part3_unified::{Device, Tensor, no_grad};
use rungrad::progress::Progress;
use rungrad::rng::Random;

use drawing::Drawing;
use request::{HELP, Request};
use training::{EPOCHS, Epoch, train};

/// The bundled weights, made by `--train`.
const OURS: &str = "examples/part3_read_digits/weights.safetensors";

/// The drawing that is read if no file is named.
const BUNDLED: (&str, &[u8]) = ("three.png", include_bytes!("three.png"));

fn main() -> ExitCode {
    rungrad::run_with_help(HELP, || {
        let request = Request::of(&rungrad::args())?;
        // Check the drawing first, because training takes seconds.
        let (name, bytes) = given(&request)?;
        let drawing = Drawing::read(&name, &bytes)?;
        let digit = form::digit(&drawing).ok_or_else(|| {
            Error::File(format!(
                "{name} contains no drawing: all of it has the same gray; draw \
                 one digit, dark on light or light on dark"
            ))
        })?;
        let rows = digits().split(SPLIT_SEED);
        let network = network(&rows, &request)?;
        if request.drawing.is_none() {
            examine(&network, &rows.1, request.device)?;
        }
        println!("{name}: {drawing}, as the network sees it:\n");
        let seen = Seen::record(&network, &digit, request.device)?;
        print!("{}", show::digit_beside_scores(&digit, &seen.scores));
        println!(
            "\nThe four filters with the strongest response, and their \
             outputs:\n"
        );
        print!("{}", show::filters(&seen));
        let Some(path) = &request.svg else { return Ok(()) };
        save(path, picture::svg(&drawing, &digit, &seen).as_bytes())?;
        println!("\nthe picture is in {}", path.display());
        Ok(())
    })
}

/// Returns the name and the contents of the drawing.
fn given(request: &Request) -> Result<(String, Vec<u8>), Error> {
    let Some(name) = &request.drawing else {
        return Ok((BUNDLED.0.to_string(), BUNDLED.1.to_vec()));
    };
    let mut typed = Vec::new();
    let bytes = match name.as_str() {
        "-" => std_io::stdin().read_to_end(&mut typed).map(|_| typed),
        _ => fs::read(name),
    };
    let bytes = bytes.map_err(|error| {
        Error::File(format!(
            "{name} cannot be read ({error}); name a PNG file or a text file \
             with one digit"
        ))
    })?;
    let name = if name == "-" { "the standard input" } else { name };
    Ok((name.to_string(), bytes))
}

/// Returns a trained network: with weights from the named file, with newly
/// trained ones that are saved in `target/`, or with the bundled ones.
fn network(
    rows: &(Dataset, Dataset),
    request: &Request,
) -> Result<Sequential, Error> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let ours = root.join(OURS);
    let path = request.weights.as_ref().unwrap_or(&ours);
    if request.train {
        let progress = Progress::new(EPOCHS);
        let mut done = 0;
        let tell = |epoch: Epoch| {
            done += 1;
            progress.show(done, &format!("loss {:.3}", epoch.loss));
        };
        let network = train(rows, 0, EPOCHS, request.device, tell)?;
        let kept = root.join("target/read_digits.safetensors");
        io::save(&kept, &network)?;
        println!("the weights are in {}\n", kept.display());
        return Ok(network);
    }
    let mut network = training::network(&mut Random::new(0));
    io::load(path, &mut network)?;
    network.to(request.device)?;
    Ok(network)
}

/// Prints the accuracy on the test set and one example of each digit.
fn examine(
    network: &Sequential,
    held_out: &Dataset,
    device: Device,
) -> Result<(), Error> {
    let x = Tensor::new(&held_out.shape(), &held_out.inputs, device)?;
    let scores = no_grad(|| network.forward(&x)).to_vec()?;
    let read = predictions(&scores, 10);
    let right = accuracy(&held_out.labels, &read);
    println!(
        "of {} held-out digits, {:.1} % are read correctly:\n",
        held_out.rows(),
        100.0 * right
    );
    let first = |digit| held_out.labels.iter().position(|it| *it == digit);
    let rows: Vec<usize> = (0..10).filter_map(first).collect();
    let labels: Vec<usize> = rows.iter().map(|&row| read[row]).collect();
    print!("{}", show::digits(&held_out.select(&rows), &labels));
    Ok(())
}

/// The values of every layer for one digit.
pub(crate) struct Seen {
    /// The weights of the first layer: (count, 3, 3).
    pub(crate) filters: Vec<f32>,
    /// The output of each module: its shape and its values.
    pub(crate) stages: Vec<(Vec<usize>, Vec<f32>)>,
    /// One score per digit.
    pub(crate) scores: Vec<f32>,
}

impl Seen {
    // ANCHOR: seen
    /// Runs the network on a digit (64) and records the output of each module.
    fn record(
        network: &Sequential,
        digit: &[f32],
        device: Device,
    ) -> Result<Seen, Error> {
        let mut x = Tensor::new(&[1, 64], digit, device)?;
        let mut stages = Vec::new();
        for module in &network.modules {
            x = no_grad(|| module.forward(&x));
            stages.push((x.shape().to_vec(), x.to_vec()?));
        }
        let filters = network.parameters()[0].1.to_vec()?;
        Ok(Seen { filters, stages, scores: x.to_vec()? })
    }
    // ANCHOR_END: seen

    /// Returns the feature maps after the ReLU of convolution layer 0 or 1,
    /// and their side length.
    pub(crate) fn maps(&self, layer: usize) -> (usize, Vec<&[f32]>) {
        // images, Conv2d, relu, halved, Conv2d, relu, halved, rows, Linear
        let (shape, numbers) = &self.stages[[2, 5][layer]];
        let side = shape[3];
        (side, numbers.chunks(side * side).collect())
    }
}
