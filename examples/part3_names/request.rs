//! Command-line arguments.

use rungrad::Error;
use rungrad::part3_unified::Device;

/// The parsed command line.
pub(crate) struct Request {
    pub(crate) device: Device,
    pub(crate) small: bool,
    pub(crate) look: bool,
    pub(crate) seed: u64,
    pub(crate) steps: Option<usize>,
    pub(crate) temperature: f32,
    pub(crate) count: usize,
    pub(crate) save: Option<String>,
    pub(crate) weights: Option<String>,
}

impl Request {
    /// Parses the arguments.
    pub(crate) fn of(
        program: &str,
        words: &[String],
    ) -> Result<Request, Error> {
        let mut device = None;
        let mut request = Request {
            device: Device::Cpu,
            small: false,
            look: false,
            seed: 0,
            steps: None,
            temperature: 1.0,
            count: 10,
            save: None,
            weights: None,
        };
        let mut words = words.iter();
        while let Some(option) = words.next() {
            if option == "--small" || option == "--look" {
                request.small |= option == "--small";
                request.look |= option == "--look";
                continue;
            }
            let value = words.next().map(String::as_str);
            let whole = |least| number(option, value, least);
            match option.as_str() {
                "--device" => device = Some(value.unwrap_or("").parse()?),
                "--seed" => request.seed = whole(0)?,
                "--steps" => request.steps = Some(whole(1)? as usize),
                "--count" => request.count = whole(0)? as usize,
                "--temperature" => {
                    request.temperature = temperature(value)?;
                }
                "--save" => request.save = Some(path(option, value)?),
                "--weights" => request.weights = Some(path(option, value)?),
                _ => {
                    return Err(Error::Usage(format!(
                        "{program} does not know `{option}`; `--help` lists \
                         what it knows"
                    )));
                }
            }
        }
        request.device = device.map_or_else(Device::from_env, Ok)?;
        Ok(request)
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

/// Parses the path that follows an option.
fn path(option: &str, value: Option<&str>) -> Result<String, Error> {
    let found = value.map(str::to_string);
    found.ok_or_else(|| {
        Error::Usage(format!("{option} takes the path of a file, not nothing"))
    })
}

/// Parses the number that follows `--temperature`.
fn temperature(value: Option<&str>) -> Result<f32, Error> {
    let number = value.and_then(|word| word.parse().ok());
    number.filter(|t: &f32| t.is_finite() && *t >= 0.0).ok_or_else(|| {
        let found = value.map_or("nothing".to_string(), |w| format!("`{w}`"));
        Error::Usage(format!(
            "--temperature takes a number from 0 on, not {found}; for \
             example --temperature 0.8"
        ))
    })
}
