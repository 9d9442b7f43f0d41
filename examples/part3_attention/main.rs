//! Attention on small examples, from a single table to a whole block.

mod by_operations;
mod heads;
mod kept;
mod map;
mod steps;

use std::path::Path;
use std::process::ExitCode;

use rungrad::Error;
use rungrad::data::Vocabulary;
use rungrad::io;
use rungrad::nn::{Gpt, GptSizes, Parameters};
use rungrad::part3_unified::Device;
use rungrad::rng::Random;

const HELP: &str = "\
usage: cargo run --example part3_attention -- [part] [--device D]

  steps      four letters attend to each other, step by step (the default)
  widths     why scores are divided by the root of the width
  block      which letters affect which scores, through two whole blocks
  kept       how many multiplications a cache of keys and values saves
  launches   how many launches three fused operations save on a device
  heads      where the heads of a trained network look
  map NAME   the same for one name, as target/attention-map.svg

  --device D cpu, gpu, gpu:1 or fused:0 (default: RUNGRAD_DEVICE, or cpu)";

fn main() -> ExitCode {
    rungrad::run_with_help(HELP, || {
        let words = rungrad::args();
        let mut parts = Vec::new();
        let mut device = None;
        let mut words = words.iter().map(String::as_str);
        while let Some(word) = words.next() {
            match word {
                "--device" => {
                    device = Some(words.next().unwrap_or("").parse()?);
                }
                _ => parts.push(word),
            }
        }
        let device: Device = device.map_or_else(Device::from_env, Ok)?;
        match parts[..] {
            [] | ["steps"] => steps::show(device),
            ["widths"] => steps::widths(device),
            ["block"] => kept::moved(device),
            ["kept"] => kept::show(device),
            ["launches"] => by_operations::show(device),
            ["heads"] => heads::show(&trained(device)?),
            ["map", name] => map::draw(&trained(device)?, name),
            _ => Err(Error::Usage(format!(
                "part3_attention does not know `{}`; `--help` lists what it \
                 knows",
                parts.join(" ")
            ))),
        }
    })
}

/// The sizes of the small network that generates names.
const SIZES: GptSizes = GptSizes {
    vocabulary: 27,
    context: 16,
    layers: 2,
    heads: 4,
    width: 32,
    dropout: 0.0,
};

/// The size of its test set, as in `part3_names`.
const HELD_OUT: usize = 1000;
const SPLIT_SEED: u64 = 1797;

/// Loads the network trained by `part3_names --small`; `data/README.md` has
/// the command.
fn trained(device: Device) -> Result<Gpt, Error> {
    let mut gpt = Gpt::new(SIZES, &mut Random::new(0));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    io::load(root.join("data/names.safetensors"), &mut gpt)?;
    gpt.to(device)?;
    Ok(gpt)
}

/// Returns the tokens of a name, preceded by the end token of the previous
/// name.
fn tokens(name: &str) -> Result<Vec<usize>, Error> {
    let signs = Vocabulary::of("\nabcdefghijklmnopqrstuvwxyz");
    let letters = signs.encode(name)?;
    Ok([0].into_iter().chain(letters).collect())
}
