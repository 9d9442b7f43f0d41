//! A GPT learns Shakespeare, or a text of yours, one letter at a time, and
//! then continues it.

mod request;
#[path = "../part3_names/training.rs"]
mod training;

use std::process::ExitCode;
use std::time::Instant;

use rungrad::Error;
use rungrad::data::{Text, Windows, shakespeare};
use rungrad::loader::{Loader, Rows};
use rungrad::nn::{Gpt, Parameters};
use rungrad::optim::Schedule;
use rungrad::progress::Progress;
use rungrad::rng::Random;
use rungrad::{engine::tuning, io};

use request::Request;
use training::{examine, examine_some, optimizer, place, train};

const HELP: &str = "\
usage: cargo run --release --example part3_shakespeare -- [options]

On two cores it trains for more than half an hour. During training, the
held-out loss is computed on a part of the text, always the same 200 windows;
the last line has the loss of the whole held-out text.

  --large         6 layers, 384 wide, texts of 256, for a GPU (default: 4
                  layers, 128 wide, texts of 64)
  --device D      cpu, gpu, gpu:1, fused:0 or fused:cpu (default:
                  RUNGRAD_DEVICE, or cpu)
  --text FILE     your own text (default: Shakespeare)
  --steps N       the number of steps (5000, with --large 1500)
  --seed N        the seed of the weights, of the order and of the draws (0)
  --temperature T how surprising the text is: 0 takes the likeliest letter (0.8)
  --count N       the number of letters to generate (1000)
  --save FILE     save the weights, as safetensors
  --weights FILE  load saved weights instead of training
  --tuned FILE    use the tiles that `cargo learn bench --tune` found fastest";

/// Number of validation windows evaluated during training. All of them would
/// take 2,920 batches, compared with 5,000 training steps.
const ON_THE_WAY: usize = 200;
const WAY_SEED: u64 = 1797;

fn main() -> ExitCode {
    rungrad::run_with_help(HELP, || {
        let words = rungrad::args();
        let request = Request::of(&words)?;
        if let Some(file) = &request.tuned {
            tuning::load(file)?;
        }
        let text = match &request.text {
            Some(path) => Text::read(path)?,
            None => shakespeare(),
        };
        let (known, held_out) = text.split();
        let sizes = request.sizes(text.vocabulary.size());
        if held_out.tokens.len() <= sizes.context {
            return Err(Error::Usage(format!(
                "the text has {} characters; its last tenth, which tests the \
                 network, must be longer than the context of {} tokens, so \
                 take a longer text",
                text.tokens.len(),
                sizes.context
            )));
        }
        let mut random = Random::new(request.seed);
        let mut gpt = Gpt::new(sizes, &mut random);
        // Windows that do not overlap.
        let test = held_out.windows(sizes.context, sizes.context);
        match &request.weights {
            Some(path) => {
                io::load(path, &mut gpt)?;
                gpt.to(request.device)?;
                gpt.eval();
            }
            None => {
                gpt.to(request.device)?;
                learn(&mut gpt, &known, &test, &request)?;
            }
        }
        let loss = examine(&gpt, &test, request.batch().min(test.count()))?;
        println!("held out, all {} windows: {loss:.3}", test.count());
        if let Some(path) = &request.save {
            io::save(path, &gpt)?;
        }
        if request.count == 0 {
            return Ok(());
        }
        let (begin, t) = (&held_out.tokens[..1], request.temperature);
        let tokens =
            gpt.generate(begin, request.count, None, t, &mut random)?;
        let written = text.vocabulary.decode(&tokens);
        // The text may begin with the end of a line.
        println!("\nIt writes:\n\n{}", written.trim());
        Ok(())
    })
}

/// Trains the network and prints the progress.
fn learn(
    gpt: &mut Gpt,
    known: &Text,
    test: &Windows,
    request: &Request,
) -> Result<(), Error> {
    println!(
        "{} letters in the training set, {} parameters, on {}",
        known.tokens.len(),
        gpt.count(),
        place(request.device)?
    );
    let (batch, rate, steps) =
        (request.batch(), request.rate(), request.steps());
    let rates = Schedule::cosine(rate, steps);
    let rates = rates.warm_up(100.min(steps / 2)).floor(rate / 10.0);
    let rows = known.windows(gpt.places.shape()[0], 1);
    let mut loader = Loader::new(rows, batch, request.seed);
    let mut some: Vec<usize> = (0..test.count()).collect();
    Random::new(WAY_SEED).shuffle(&mut some);
    some.truncate(ON_THE_WAY);
    let mut adam = optimizer(0.1);
    let (progress, start) = (Progress::new(steps), Instant::now());
    let every = steps.div_ceil(20);
    let tell = |gpt: &Gpt, done, loss| {
        let held_out = examine_some(gpt, test, &some, batch)?;
        let words = format!("loss {loss:.3}  held out {held_out:.3}");
        progress.show(done, &words);
        Ok(())
    };
    train(gpt, &mut loader, &mut adam, &rates, every, tell)?;
    gpt.eval();
    println!("{:.1} s", start.elapsed().as_secs_f64());
    Ok(())
}
