//! Trains the network of Part 1 on the same digits, with kernels on a device.

mod training;

use std::process::ExitCode;

use rungrad::Error;
use rungrad::data::{SPLIT_SEED, digits};
use rungrad::opencl::Gpu;
use rungrad::progress::Progress;

use training::train;

const HELP: &str = "\
usage: cargo run --example part2_digits -- [options]

  --seed N     the seed of the initial weights and of the order of rows (0)
  --epochs N   the number of epochs (20)

RUNGRAD_DEVICE=gpu:1 selects the second OpenCL device, and so does
cargo learn run part2_digits --device gpu:1";

fn main() -> ExitCode {
    rungrad::run_with_help(HELP, || {
        let words = rungrad::args();
        let Request { seed, epochs } = Request::of(&words)?;
        let (gpu, split) = (Gpu::first()?, digits().split(SPLIT_SEED));
        println!("{} digits to learn on {}", split.0.rows(), gpu.name());
        let progress = Progress::new(epochs);
        let mut done = 0;
        train(&split, seed, epochs, &gpu, |epoch| {
            done += 1;
            let words = format!(
                "loss {:.3}  held out {:.3}  right {:.1} %",
                epoch.loss,
                epoch.held_out,
                100.0 * epoch.accuracy
            );
            progress.show(done, &words);
        })?;
        Ok(())
    })
}

/// The parsed command line.
struct Request {
    seed: u64,
    epochs: usize,
}

impl Request {
    fn of(words: &[String]) -> Result<Request, Error> {
        let mut request = Request { seed: 0, epochs: 20 };
        let mut words = words.iter();
        while let Some(option) = words.next() {
            let value = words.next();
            match option.as_str() {
                "--seed" => request.seed = number(option, value, 0)?,
                "--epochs" => {
                    request.epochs = number(option, value, 1)? as usize;
                }
                _ => {
                    return Err(Error::Usage(format!(
                        "part2_digits does not know `{option}`; `--help` \
                         lists what it knows"
                    )));
                }
            }
        }
        Ok(request)
    }
}

/// Parses the number that follows an option.
fn number(
    option: &str,
    value: Option<&String>,
    least: u64,
) -> Result<u64, Error> {
    let number = value.and_then(|word| word.parse().ok());
    number.filter(|number| *number >= least).ok_or_else(|| {
        let found = value.map_or("nothing".to_string(), |w| format!("`{w}`"));
        Error::Usage(format!(
            "{option} takes a whole number from {least}, not {found}; for \
             example {option} 5"
        ))
    })
}
