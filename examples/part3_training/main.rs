//! A network that does not train, what its gradients show, and what helps.

mod curves;
mod faults;
mod gradients;
mod numbers;
mod planted;
mod stack;
mod table;

use std::process::ExitCode;

use rungrad::Error;
use rungrad::part3_unified::Device;

const HELP: &str = "\
usage: cargo run --release --example part3_training -- [topics] [options]

Without a topic it runs the first one, and `all` runs all of them.

  stuck      a deep network, its losses, and its gradients layer by layer
  sums       how far sums of many products spread
  starts     the same network with different initial weights
  norms      one table, by its rows and by its columns
  modes      a batch norm in training and in evaluation
  around     norms and skip connections around each layer
  adam       steps of one number
  decay      two ways to make a weight smaller
  rates      three learning rates, and their curves in target/rates.svg
  schedule   rates that rise and fall
  warm_up    why the rate rises at first
  clip       gradient clipping
  odd_batch  one batch that was not scaled
  dropout    random zeros
  by_heart   wrong labels, memorized with dropout and without
  faults     seven runs, six of them with a bug

  --device D   cpu, gpu (the first OpenCL device) or gpu:1 (the second);
               default: RUNGRAD_DEVICE, or cpu";

/// The name and the function of a topic.
type Topic = (&'static str, fn(Device) -> Result<(), Error>);

const TOPICS: [Topic; 16] = [
    ("stuck", gradients::stuck),
    ("sums", numbers::sums),
    ("starts", gradients::starts),
    ("norms", numbers::norms),
    ("modes", numbers::modes),
    ("around", gradients::around),
    ("adam", numbers::adam),
    ("decay", numbers::decay),
    ("rates", curves::rates),
    ("schedule", numbers::schedule),
    ("warm_up", curves::warm_up),
    ("clip", numbers::clip),
    ("odd_batch", curves::odd_batch),
    ("dropout", numbers::dropout),
    ("by_heart", curves::by_heart),
    ("faults", faults::faults),
];

fn main() -> ExitCode {
    rungrad::run_with_help(HELP, || {
        let (topics, device) = request(&rungrad::args())?;
        for (at, (name, topic)) in topics.iter().enumerate() {
            if topics.len() > 1 {
                println!("{}== {name}", if at > 0 { "\n" } else { "" });
            }
            topic(device)?;
        }
        Ok(())
    })
}

/// Parses topics (by default the first one) and a device.
fn request(words: &[String]) -> Result<(Vec<Topic>, Device), Error> {
    let (mut topics, mut device) = (Vec::new(), None);
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let topic = TOPICS.iter().find(|(name, _)| *name == word);
        match (word, topic) {
            (_, Some(topic)) => topics.push(*topic),
            ("all", _) => topics.extend(TOPICS),
            ("--device", _) => {
                device = Some(words.next().unwrap_or("").parse()?);
            }
            _ => {
                return Err(Error::Usage(format!(
                    "part3_training does not know `{word}`; `--help` lists \
                     what it knows"
                )));
            }
        }
    }
    if topics.is_empty() {
        topics.push(TOPICS[0]);
    }
    Ok((topics, device.map_or_else(Device::from_env, Ok)?))
}
