//! A small GPT learns first names one letter at a time, and then generates new
//! ones.

mod look;
mod request;
mod training;

use std::collections::HashSet;
use std::process::ExitCode;
use std::time::Instant;

use rungrad::Error;
use rungrad::data::{Names, names};
use rungrad::io;
use rungrad::loader::Loader;
use rungrad::nn::{Gpt, GptSizes, Parameters};
use rungrad::optim::Schedule;
use rungrad::progress::Progress;
use rungrad::rng::Random;

use look::look;
use request::Request;
use training::{examine, optimizer, place, train};

const HELP: &str = "\
usage: cargo run --release --example part3_names -- [options]

  --small         a network of 2 layers, 32 wide (default: 4 layers, 64 wide)
  --device D      cpu, gpu, gpu:1, fused:0 or fused:cpu (default:
                  RUNGRAD_DEVICE, or cpu)
  --steps N       the number of steps
  --seed N        the seed of the weights, of the order and of the draws (0)
  --temperature T how surprising the names are: 0 takes the likeliest letter (1)
  --count N       the number of names to generate (10)
  --look          print two names as tokens, two simple losses and the
                  parameters, without training
  --save FILE     save the weights, as safetensors
  --weights FILE  load saved weights instead of training";

/// Maximum number of tokens of a name and the token before it.
const CONTEXT: usize = 16;
/// Number of names in the test set.
const HELD_OUT: usize = 1000;
const SPLIT_SEED: u64 = 1797;

fn main() -> ExitCode {
    rungrad::run_with_help(HELP, || {
        let words = rungrad::args();
        let request = Request::of("part3_names", &words)?;
        let device = request.device;
        let list = names();
        let (known, held_out) = list.split(HELD_OUT, SPLIT_SEED);
        let (layers, width) = if request.small { (2, 32) } else { (4, 64) };
        let sizes = GptSizes {
            vocabulary: list.vocabulary.size(),
            context: CONTEXT,
            layers,
            heads: 4,
            width,
            dropout: 0.0,
        };
        let mut gpt = Gpt::new(sizes, &mut Random::new(request.seed));
        let test = held_out.whole(CONTEXT);
        if request.look {
            return look(&gpt, &known, &held_out);
        }
        if let Some(path) = &request.weights {
            io::load(path, &mut gpt)?;
            gpt.to(device)?;
            let loss = examine(&gpt, &test, 250)?;
            println!("held out {loss:.3}");
            return tell_names(&gpt, &list, &request);
        }
        gpt.to(device)?;
        println!(
            "{} names in the training set, {} parameters, on {}",
            known.names.len(),
            gpt.count(),
            place(device)?
        );
        let (batch, steps, rate) = match request.small {
            true => (32, 14_000, 6e-3),
            false => (64, 8_000, 3e-3),
        };
        let steps = request.steps.unwrap_or(steps);
        let rates = Schedule::linear(rate, steps).warm_up(100.min(steps / 2));
        let rows = known.whole(CONTEXT);
        let mut loader = Loader::new(rows, batch, request.seed);
        let mut adam = optimizer(0.01);
        let (progress, start) = (Progress::new(steps), Instant::now());
        let every = steps.div_ceil(20);
        let tell = |gpt: &Gpt, done, loss| {
            let held_out = examine(gpt, &test, 250)?;
            let words = format!("loss {loss:.3}  held out {held_out:.3}");
            progress.show(done, &words);
            Ok(())
        };
        train(&mut gpt, &mut loader, &mut adam, &rates, every, tell)?;
        gpt.eval();
        println!("{:.1} s", start.elapsed().as_secs_f64());
        if let Some(path) = &request.save {
            io::save(path, &gpt)?;
        }
        tell_names(&gpt, &list, &request)
    })
}

fn tell_names(gpt: &Gpt, list: &Names, request: &Request) -> Result<(), Error> {
    invent(gpt, list, request)?.iter().for_each(|name| println!("{name}"));
    Ok(())
}

/// Generates names until there are enough that are not in the list.
fn invent(
    gpt: &Gpt,
    list: &Names,
    request: &Request,
) -> Result<Vec<String>, Error> {
    let known: HashSet<&String> = list.names.iter().collect();
    // A different seed from the one that drew the initial weights.
    let mut random = Random::new(request.seed.wrapping_add(1));
    let mut invented = Vec::new();
    for _ in 0..100 * request.count {
        if invented.len() == request.count {
            break;
        }
        // A name begins after the end token of the previous one and ends with
        // one.
        let (end, t) = (Some(0), request.temperature);
        let tokens = gpt.generate(&[0], CONTEXT - 1, end, t, &mut random)?;
        let name = list.vocabulary.decode(&tokens);
        if !name.is_empty() && !known.contains(&name) {
            invented.push(name);
        }
    }
    Ok(invented)
}
