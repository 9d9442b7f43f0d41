//! Trains the network of Part 1 on the same digits, on the device that you
//! name.

mod training;

use std::process::ExitCode;

use rungrad::Error;
use rungrad::data::{SPLIT_SEED, digits};
use rungrad::nn::Parameters;
use rungrad::part3_unified::Device;
use rungrad::progress::Progress;

use training::train;

const HELP: &str = "\
usage: cargo run --example part3_digits -- [options]

  --device D   cpu, gpu (the first OpenCL device) or gpu:1 (the second);
               default: RUNGRAD_DEVICE, or cpu
  --seed N     the seed of the initial weights and of the order of rows (0)
  --epochs N   the number of epochs (20)";

fn main() -> ExitCode {
    rungrad::run_with_help(HELP, || {
        let words = rungrad::args();
        let Request { device, seed, epochs } = Request::of(&words)?;
        let (name, split) = (device.name()?, digits().split(SPLIT_SEED));
        println!("{} digits to learn on {device}: {name}", split.0.rows());
        let progress = Progress::new(epochs);
        let mut done = 0;
        let network = train(&split, seed, epochs, device, |epoch| {
            done += 1;
            let words = format!(
                "loss {:.3}  held out {:.3}  right {:.1} %",
                epoch.loss,
                epoch.held_out,
                100.0 * epoch.accuracy
            );
            progress.show(done, &words);
        })?;
        println!("\n{}", network.summary());
        Ok(())
    })
}

/// The parsed command line.
struct Request {
    device: Device,
    seed: u64,
    epochs: usize,
}

impl Request {
    fn of(words: &[String]) -> Result<Request, Error> {
        let mut device = None;
        let (mut seed, mut epochs) = (0, 20);
        let mut words = words.iter();
        while let Some(option) = words.next() {
            let value = words.next().map(String::as_str);
            match option.as_str() {
                "--device" => device = Some(value.unwrap_or("").parse()?),
                "--seed" => seed = number(option, value, 0)?,
                "--epochs" => epochs = number(option, value, 1)? as usize,
                _ => {
                    return Err(Error::Usage(format!(
                        "part3_digits does not know `{option}`; `--help` \
                         lists what it knows"
                    )));
                }
            }
        }
        let device = device.map_or_else(Device::from_env, Ok)?;
        Ok(Request { device, seed, epochs })
    }
}

/// Parses the number that follows an option.
fn number(option: &str, value: Option<&str>, least: u64) -> Result<u64, Error> {
    let number = value.and_then(|word| word.parse().ok());
    number.filter(|number| *number >= least).ok_or_else(|| {
        let found = value.map_or("nothing".to_string(), |w| format!("`{w}`"));
        Error::Usage(format!(
            "{option} takes a whole number from {least}, not {found}; for \
             example {option} 5"
        ))
    })
}
