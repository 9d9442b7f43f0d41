//! Command-line arguments.

use rungrad::Error;
use rungrad::nn::GptSizes;
use rungrad::part3_unified::Device;

/// The parsed command line.
pub(crate) struct Request {
    pub(crate) device: Device,
    large: bool,
    pub(crate) text: Option<String>,
    pub(crate) seed: u64,
    steps: Option<usize>,
    pub(crate) temperature: f32,
    pub(crate) count: usize,
    pub(crate) save: Option<String>,
    pub(crate) weights: Option<String>,
    pub(crate) tuned: Option<String>,
}

impl Request {
    /// Parses the arguments.
    pub(crate) fn of(words: &[String]) -> Result<Request, Error> {
        let mut device = None;
        let mut request = Request {
            device: Device::Cpu,
            large: false,
            text: None,
            seed: 0,
            steps: None,
            temperature: 0.8,
            count: 1000,
            save: None,
            weights: None,
            tuned: None,
        };
        let mut words = words.iter();
        while let Some(option) = words.next() {
            if option == "--large" {
                request.large = true;
                continue;
            }
            let value = words.next().map(String::as_str);
            let whole = |least: u64| {
                let number = value.and_then(|word| word.parse().ok());
                let number = number.filter(|number| *number >= least);
                let example = format!("whole number from {least}");
                number.ok_or_else(|| refusal(option, &example, value))
            };
            let path = || {
                let path = value.map(str::to_string);
                path.ok_or_else(|| refusal(option, "path of a file", value))
            };
            match option.as_str() {
                "--device" => device = Some(value.unwrap_or("").parse()?),
                "--text" => request.text = Some(path()?),
                "--save" => request.save = Some(path()?),
                "--weights" => request.weights = Some(path()?),
                "--tuned" => request.tuned = Some(path()?),
                "--seed" => request.seed = whole(0)?,
                "--steps" => request.steps = Some(whole(1)? as usize),
                "--count" => request.count = whole(0)? as usize,
                "--temperature" => {
                    let number = value.and_then(|word| word.parse().ok());
                    let fits = |t: &f32| t.is_finite() && *t >= 0.0;
                    let none = || refusal(option, "number from 0 on", value);
                    request.temperature =
                        number.filter(fits).ok_or_else(none)?;
                }
                _ => {
                    return Err(Error::Usage(format!(
                        "part3_shakespeare does not know `{option}`; `--help` \
                         lists what it knows"
                    )));
                }
            }
        }
        request.device = device.map_or_else(Device::from_env, Ok)?;
        Ok(request)
    }

    /// Returns the number of steps. The large network overfits while the small
    /// one is still improving, so it takes fewer.
    pub(crate) fn steps(&self) -> usize {
        self.steps.unwrap_or(if self.large { 1500 } else { 5000 })
    }

    /// Returns the number of windows per step.
    pub(crate) fn batch(&self) -> usize {
        if self.large { 64 } else { 12 }
    }

    /// Returns the peak learning rate of the schedule.
    pub(crate) fn rate(&self) -> f32 {
        if self.large { 1e-3 } else { 2e-3 }
    }

    /// Returns the sizes of the network.
    pub(crate) fn sizes(&self, vocabulary: usize) -> GptSizes {
        match self.large {
            true => GptSizes {
                vocabulary,
                context: 256,
                layers: 6,
                heads: 6,
                width: 384,
                dropout: 0.2,
            },
            false => GptSizes {
                vocabulary,
                context: 64,
                layers: 4,
                heads: 4,
                width: 128,
                dropout: 0.0,
            },
        }
    }
}

fn refusal(option: &str, takes: &str, value: Option<&str>) -> Error {
    let found = value.map_or("nothing".to_string(), |w| format!("`{w}`"));
    Error::Usage(format!("{option} takes a {takes}, not {found}"))
}
