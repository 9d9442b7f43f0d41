//! Command-line arguments.

use rungrad::Error;
use rungrad::part3_unified::Device;

use super::training::EPOCHS;

pub(crate) const HELP: &str = "\
usage: cargo run --release --example part3_filters -- [options]

  --device D    cpu, gpu (the first OpenCL device) or gpu:1 (the second);
                default: RUNGRAD_DEVICE, or cpu
  --seed N      the seed of the initial weights and of the order of rows (0)
  --epochs N    the number of epochs (20)
  --splits N    hold out N random fifths in turn, and print the mean
  --last-fifth  hold out the end of the file instead of a random fifth";

/// The parsed command line.
#[derive(Debug, PartialEq)]
pub(crate) struct Request {
    pub(crate) device: Device,
    pub(crate) seed: u64,
    pub(crate) epochs: usize,
    pub(crate) splits: Option<u64>,
    pub(crate) last_fifth: bool,
}

impl Request {
    pub(crate) fn of(words: &[String]) -> Result<Request, Error> {
        let mut device = None;
        let (mut seed, mut epochs) = (0, EPOCHS);
        let (mut splits, mut last_fifth) = (None, false);
        let mut words = words.iter();
        while let Some(option) = words.next() {
            let mut value = || words.next().map(String::as_str);
            match option.as_str() {
                "--device" => device = Some(value().unwrap_or("").parse()?),
                "--seed" => seed = number(option, value(), 0)?,
                "--epochs" => epochs = number(option, value(), 1)? as usize,
                "--splits" => splits = Some(number(option, value(), 1)?),
                "--last-fifth" => last_fifth = true,
                _ => {
                    return Err(Error::Usage(format!(
                        "part3_filters does not know `{option}`; `--help` \
                         lists what it knows"
                    )));
                }
            }
        }
        if splits.is_some() && last_fifth {
            return Err(Error::Usage(
                "--splits holds out random fifths, and --last-fifth the end of \
                 the file; give one of the two"
                    .to_string(),
            ));
        }
        let device = device.map_or_else(Device::from_env, Ok)?;
        Ok(Request { device, seed, epochs, splits, last_fifth })
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
