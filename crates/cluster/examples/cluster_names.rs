//! Several ranks train a small GPT on first names.
//!
//! usage: cluster_names [-n RANKS] [--shards N | --fastest] [--steps N]
//!                      [--log FILE] [--checkpoint FILE] [--shard-optimizer]
//!
//!   -n RANKS           runs the ranks as threads of this process; without it
//!                      and with the feature `mpi`, `mpirun -n RANKS` starts them
//!   --shards N         divides each batch into N shards (8); the losses have the
//!                      same bits for any number of ranks
//!   --fastest          adds gradients in the fastest order instead
//!   --steps N          the number of the last step (100)
//!   --log FILE         writes the loss of each step, with all digits
//!   --checkpoint FILE  continues from this file if it exists, and saves to it
//!                      after every 20 steps
//!   --shard-optimizer  divides the state of the optimizer among the ranks
//!
//! With RUNGRAD_DEVICE=gpu, or fused, each rank takes the next GPU.

#[path = "shared/mod.rs"]
mod shared;

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;
use std::{env, fs};

use cluster::{Collective, DataParallel, Order};
use rungrad::data::{WholeNames, names};
use rungrad::io::State;
use rungrad::loader::Loader;
use rungrad::nn::{Gpt, GptSizes, Parameters};
use rungrad::optim::{Adam, Optimizer};
use rungrad::rng::Random;
use rungrad::{Error, Result, io};

use shared::ranks::{number, reported_once, run_ranks};
use shared::{device, loss, row_weights};

fn main() -> ExitCode {
    rungrad::run(|| {
        let request = reported_once(Request::parse(&rungrad::args()))?;
        run_ranks(request.threads, |it| train(it, &request))
    })
}

/// What a rank needs to continue a training.
struct Run {
    gpt: Gpt,
    adam: Adam,
    loader: Loader<WholeNames>,
    step: u64,
}

impl Run {
    fn parts(&mut self) -> [io::Part<'_>; 4] {
        [
            ("gpt", &mut self.gpt),
            ("adam", &mut self.adam),
            ("loader", &mut self.loader),
            ("step", &mut self.step),
        ]
    }
}

fn train(collective: &Collective, request: &Request) -> Result<()> {
    let list = names();
    let sizes = GptSizes {
        vocabulary: list.vocabulary.size(),
        context: 16,
        layers: 2,
        heads: 4,
        width: 32,
        dropout: 0.1,
    };
    let mut gpt = Gpt::new(sizes, &mut Random::new(0));
    let name = env::var("RUNGRAD_DEVICE").unwrap_or("cpu".to_string());
    gpt.to(device(&name, collective.rank())?)?;
    let mut run = Run {
        gpt,
        adam: Adam::new(3e-3),
        loader: Loader::new(list.whole(16), 32, 0),
        step: 0,
    };
    if let Some(path) = &request.checkpoint
        && Path::new(path).exists()
    {
        io::resume(path, &mut run.parts())?;
    }
    // Every rank has read the checkpoint before rank 0 replaces it.
    collective.barrier()?;
    let parallel = DataParallel::new(collective, request.order);
    if request.shard_optimizer {
        parallel.shard_state(&mut run.gpt, &mut run.adam)?;
    }
    parallel.broadcast(&mut run.gpt)?;
    let is_first = collective.rank() == 0;
    if is_first {
        let order = match request.order {
            Order::Fixed { shards } => format!("{shards} shards"),
            Order::Fastest => "the fastest order".to_string(),
        };
        println!("{} ranks, {order}", collective.size());
    }
    let (mut log, start) = (String::new(), Instant::now());
    while run.step < request.steps {
        // Every rank reads the whole batch, which is small, and computes with
        // its own rows.
        let batch = run.loader.next_batch();
        let gpt = &run.gpt;
        let loss = |rows| loss(gpt, &batch, rows);
        let reduction = parallel.backward(gpt, &row_weights(&batch), loss)?;
        let loss = reduction.wait()?;
        match request.shard_optimizer {
            true => parallel.sharded_step(&mut run.gpt, &mut run.adam)?,
            false => run.adam.step(run.gpt.parameters_mut()),
        }
        run.step += 1;
        if is_first {
            log += &format!("{} {loss}\n", run.step);
        }
        if !run.step.is_multiple_of(20) {
            continue;
        }
        if is_first {
            println!("step {} of {}: loss {loss:.3}", run.step, request.steps);
        }
        if let Some(path) = &request.checkpoint {
            let own = run.adam.clone();
            if request.shard_optimizer {
                parallel.gather_state(&mut run.gpt, &mut run.adam)?;
            }
            if is_first {
                io::checkpoint(path, &run.parts())?;
            }
            run.adam = own;
        }
    }
    let mut bytes = vec![0.0; collective.size()];
    bytes[collective.rank()] = state_bytes(&run.adam) as f32;
    let bytes = collective.all_reduce(bytes).wait()?;
    if is_first {
        let milliseconds = start.elapsed().as_secs_f64() * 1e3;
        let steps = log.lines().count().max(1) as f64;
        println!("{:.1} ms per step", milliseconds / steps);
        let state = bytes.iter().map(|it| format!("{:.0}", it / 1e3));
        let state: Vec<String> = state.collect();
        println!("optimizer state of each rank: {} kB", state.join(", "));
        if let Some(path) = &request.log {
            fs::write(path, log).map_err(|error| {
                Error::Usage(format!("{path} cannot be written: {error}"))
            })?;
        }
    }
    Ok(())
}

/// Returns the size of the state of an optimizer.
fn state_bytes(adam: &Adam) -> usize {
    let bytes = |(_, value)| match value {
        io::Value::Tensor(tensor) => size_of::<f32>() * tensor.len(),
        io::Value::Number(_) => size_of::<u64>(),
    };
    adam.state().into_iter().map(bytes).sum()
}

/// The parsed command line.
struct Request {
    threads: Option<usize>,
    order: Order,
    steps: u64,
    log: Option<String>,
    checkpoint: Option<String>,
    shard_optimizer: bool,
}

impl Request {
    fn parse(words: &[String]) -> Result<Request> {
        let order = Order::Fixed { shards: 8 };
        let (threads, log, checkpoint) = (None, None, None);
        let mut request = Request {
            threads,
            order,
            steps: 100,
            log,
            checkpoint,
            shard_optimizer: false,
        };
        let mut words = words.iter();
        while let Some(option) = words.next() {
            if option == "--fastest" {
                request.order = Order::Fastest;
                continue;
            }
            if option == "--shard-optimizer" {
                request.shard_optimizer = true;
                continue;
            }
            let value = words.next().cloned();
            match option.as_str() {
                "-n" => request.threads = Some(number(option, value)?),
                "--shards" => {
                    let shards = number(option, value)?;
                    request.order = Order::Fixed { shards };
                }
                "--steps" => request.steps = number(option, value)? as u64,
                "--log" => request.log = value,
                "--checkpoint" => request.checkpoint = value,
                _ => {
                    return Err(Error::Usage(format!(
                        "cluster_names has no option `{option}`; `--help` \
                         lists its options"
                    )));
                }
            }
        }
        Ok(request)
    }
}
