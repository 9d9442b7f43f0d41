//! Command-line arguments.

use std::path::PathBuf;

use rungrad::Error;
use rungrad::part3_unified::Device;

pub(crate) const HELP: &str = "\
usage: cargo run --release --example part3_read_digits -- [FILE] [options]

Reads one digit that is drawn in FILE: a PNG of any size, dark on light or
light on dark, or a text of spaces and dots, which are paper, and of any of
# @ % * + = o x X O, which are ink. `-` reads the standard input. The button
\"Save as PNG\" below the grid of \"Train the digits\" saves such a file.
Without FILE it reads held-out digits, and a drawing of ours.

  --weights F  use the weights of this safetensors file instead of ours
  --train      train for some seconds, and save the weights below target/
  --svg F      draw the outputs of the filters into this file
  --device D   cpu, gpu (the first OpenCL device) or gpu:1 (the second);
               default: RUNGRAD_DEVICE, or cpu";

/// The parsed command line.
#[derive(Debug, PartialEq)]
pub(crate) struct Request {
    pub(crate) drawing: Option<String>,
    pub(crate) weights: Option<PathBuf>,
    pub(crate) train: bool,
    pub(crate) svg: Option<PathBuf>,
    pub(crate) device: Device,
}

impl Request {
    pub(crate) fn of(words: &[String]) -> Result<Request, Error> {
        let (mut drawing, mut weights, mut svg) = (None, None, None);
        let (mut train, mut device) = (false, None);
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || words.next().map(String::as_str);
            match word.as_str() {
                "--weights" => weights = Some(file(word, value())?),
                "--svg" => svg = Some(file(word, value())?),
                "--train" => train = true,
                "--device" => device = Some(value().unwrap_or("").parse()?),
                name if name == "-" || !name.starts_with('-') => {
                    if drawing.replace(name.to_string()).is_some() {
                        return Err(Error::Usage(format!(
                            "part3_read_digits reads one drawing, but `{name}` \
                             is a second one; run it once for each"
                        )));
                    }
                }
                _ => {
                    return Err(Error::Usage(format!(
                        "part3_read_digits does not know `{word}`; `--help` \
                         lists what it knows"
                    )));
                }
            }
        }
        if weights.is_some() && train {
            return Err(Error::Usage(
                "--weights uses existing weights, and --train makes new ones; \
                 give one of the two"
                    .to_string(),
            ));
        }
        let device = device.map_or_else(Device::from_env, Ok)?;
        Ok(Request { drawing, weights, train, svg, device })
    }
}

/// Parses the file name that follows an option.
fn file(option: &str, value: Option<&str>) -> Result<PathBuf, Error> {
    let value = value.filter(|value| !value.starts_with("--"));
    value.map(PathBuf::from).ok_or_else(|| {
        Error::Usage(format!("{option} takes the name of a file; see `--help`"))
    })
}
