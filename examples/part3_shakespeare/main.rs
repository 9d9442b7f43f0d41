//! A GPT reads Shakespeare, or a text of yours, a letter at a time, and then
//! writes on.

#[path = "../part3_names/training.rs"]
mod training;

use std::process::ExitCode;
use std::time::Instant;

use rungrad::Error;
use rungrad::data::{Text, shakespeare};
use rungrad::loader::{Loader, Rows};
use rungrad::part3_unified::Device;
use rungrad::part3_unified::nn::{Gpt, GptSizes, Module};
use rungrad::part3_unified::optim::Schedule;
use rungrad::progress::Progress;
use rungrad::rng::Random;

use training::{examine, optimizer, place, train};

const HELP: &str = "\
usage: cargo run --release --example part3_shakespeare -- [options]

  --large         6 layers, 384 wide, texts of 256, for a card (else 4 layers,
                  128 wide, texts of 64)
  --device D      cpu, gpu, gpu:1, fused:0 or fused:cpu; else what
                  RUNGRAD_DEVICE names, else cpu
  --text FILE     a text of your own (else Shakespeare)
  --steps N       how many steps are taken
  --seed N        the seed of the weights, of the order and of the draws (0)
  --temperature T how daring the text is: 0 is the likeliest one (0.8)
  --count N       how many letters are written (1000)";

fn main() -> ExitCode {
    rungrad::run_with_help(HELP, || {
        let words = rungrad::args();
        let request = Request::of(&words)?;
        let text = match &request.text {
            Some(path) => Text::read(path)?,
            None => shakespeare(),
        };
        let (known, held_out) = text.split();
        let sizes = request.sizes(text.vocabulary.size());
        let mut random = Random::new(request.seed);
        let mut gpt = Gpt::new(sizes, &mut random);
        gpt.to(request.device)?;
        println!(
            "{} letters to learn, {} parameters, on {}",
            known.tokens.len(),
            gpt.count(),
            place(request.device)?
        );
        let (batch, steps, rate) = match request.large {
            true => (64, 5000, 1e-3),
            false => (12, 5000, 2e-3),
        };
        let steps = request.steps.unwrap_or(steps);
        let rates = Schedule::cosine(rate, steps);
        let rates = rates.warm_up(100.min(steps / 2)).floor(rate / 10.0);
        let rows = known.windows(sizes.context, 1);
        let mut loader = Loader::new(rows, batch, request.seed);
        // Windows that have no letter in common.
        let test = held_out.windows(sizes.context, sizes.context);
        let mut adam = optimizer(0.1);
        let (progress, start) = (Progress::new(steps), Instant::now());
        let every = steps.div_ceil(20);
        let tell = |gpt: &Gpt, done, loss| {
            let held_out = examine(gpt, &test, batch.min(test.count()))?;
            let words = format!("loss {loss:.3}  held out {held_out:.3}");
            progress.show(done, &words);
            Ok(())
        };
        train(&mut gpt, &mut loader, &mut adam, &rates, every, tell)?;
        gpt.eval();
        println!("{:.1} s", start.elapsed().as_secs_f64());
        let (begin, t) = (&held_out.tokens[..1], request.temperature);
        let tokens =
            gpt.generate(begin, request.count, None, t, &mut random)?;
        println!("{}", text.vocabulary.decode(&tokens));
        Ok(())
    })
}

/// What the command line asks for.
struct Request {
    device: Device,
    large: bool,
    text: Option<String>,
    seed: u64,
    steps: Option<usize>,
    temperature: f32,
    count: usize,
}

impl Request {
    /// Reads the words of a command line.
    fn of(words: &[String]) -> Result<Request, Error> {
        let mut device = None;
        let mut request = Request {
            device: Device::Cpu,
            large: false,
            text: None,
            seed: 0,
            steps: None,
            temperature: 0.8,
            count: 1000,
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
            match option.as_str() {
                "--device" => device = Some(value.unwrap_or("").parse()?),
                "--text" => {
                    let path = value.map(str::to_string);
                    let none = || refusal(option, "path of a file", value);
                    request.text = Some(path.ok_or_else(none)?);
                }
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

    /// Returns the sizes of the network.
    fn sizes(&self, vocabulary: usize) -> GptSizes {
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
