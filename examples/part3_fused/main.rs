//! Counts what a lazy device launches: for a bias and a ReLU in three forms,
//! for a softmax, and for training steps.
//!
//! ```sh
//! cargo run --example part3_fused
//! cargo run --example part3_fused -- softmax --show
//! cargo run --example part3_fused -- training --holds
//! RUNGRAD_DEVICE=gpu:1 cargo run --example part3_fused
//! ```
//!
//! An eager device launches one kernel per operation. A handwritten kernel
//! fuses two. The lazy device on top of the same one, fused:0 on top of gpu:0,
//! generates a kernel for the whole expression. Launches, compiled programs
//! and the bytes that the launches access are counted; the counts are the same
//! in every run.
//!
//!   bias, softmax, training  run only this one
//!   --show                   print each generated kernel
//!   --holds                  print the operations in each generated kernel

mod by_hand;
mod works;

use std::process::ExitCode;

use rungrad::Error;
use rungrad::ledger::{self, Counts};
use rungrad::opencl::{GeneratedKernel, Gpu, record};
use rungrad::part3_unified::Device;

use works::{Network, bias_relu, inputs, softmax};

type Part = fn(&Gpu) -> Result<(), Error>;

const PARTS: [(&str, Part); 3] =
    [("bias", three_times), ("softmax", shares), ("training", training)];

fn main() -> ExitCode {
    rungrad::run(|| {
        let Request { parts, shows, holds } = Request::of(&rungrad::args())?;
        let gpu = match Device::from_env()? {
            Device::Fused(index) => Gpu::open(index)?,
            _ => Gpu::first()?,
        };
        let mut shown = 0;
        println!("{:32}launches  builds  KB reached", "");
        for part in parts {
            let (done, timeline) = record(|| part(&gpu))?;
            done?;
            if holds {
                print!("{}", timeline.fused());
            }
            let all = GeneratedKernel::all();
            for kernel in all[shown..].iter().filter(|_| shows) {
                println!("\n{}", kernel.text().trim_end());
            }
            shown = all.len();
        }
        Ok(())
    })
}

/// The parsed command line.
struct Request {
    parts: Vec<Part>,
    shows: bool,
    holds: bool,
}

impl Request {
    fn of(words: &[String]) -> Result<Request, Error> {
        let (mut parts, mut shows, mut holds) = (vec![], false, false);
        for word in words {
            let known = PARTS.iter().find(|part| part.0 == word);
            match (word.as_str(), known) {
                ("--show", _) => shows = true,
                ("--holds", _) => holds = true,
                (_, Some(part)) => parts.push(part.1),
                (word, None) => {
                    return Err(Error::Usage(format!(
                        "part3_fused takes bias, softmax, training, --show \
                         and --holds, not `{word}`."
                    )));
                }
            }
        }
        if parts.is_empty() {
            parts = PARTS.map(|part| part.1).to_vec();
        }
        Ok(Request { parts, shows, holds })
    }
}

/// Returns the eager device and the lazy device on top of it.
fn devices(gpu: &Gpu) -> [Device; 2] {
    let index = gpu.info().index;
    [Device::Gpu(index), Device::Fused(index)]
}

fn three_times(gpu: &Gpu) -> Result<(), Error> {
    let [eager, lazy] = devices(gpu);
    let all = inputs(eager)?;
    let [x, bias] = [all[0].to_vec()?, all[1].to_vec()?];
    let here = inputs(lazy)?;

    println!("a bias and a relu of 512 x 256");
    let first = counted("  eager", || bias_relu(&all).to_vec())?;
    let second = counted("  by hand", || by_hand::bias_relu(gpu, &x, &bias))?;
    let third = counted("  lazy", || bias_relu(&here).to_vec())?;
    println!("  the same bits: {}", first == second && first == third);
    Ok(())
}

fn shares(gpu: &Gpu) -> Result<(), Error> {
    let [eager, lazy] = devices(gpu);
    let ([x, _], [here, _]) = (inputs(eager)?, inputs(lazy)?);

    println!("a softmax of 512 rows of 256, by its formula");
    let first = counted("  eager", || softmax(&x).to_vec())?;
    let second = counted("  lazy", || softmax(&here).to_vec())?;
    let apart = first.iter().zip(&second).map(|(a, b)| (a - b).abs());
    println!("  at most 1e-6 apart: {}", apart.fold(0.0, f32::max) <= 1e-6);
    Ok(())
}

/// Trains with a learning rate that is different in every step.
fn training(gpu: &Gpu) -> Result<(), Error> {
    let mut losses = vec![];
    for (name, device) in ["eager", "lazy"].into_iter().zip(devices(gpu)) {
        let mut network = Network::new(device)?;
        println!("training steps 32x64-32-10, {name}");
        for step in 1..=5 {
            let rate = 0.5 / step as f32;
            let name = format!("  step {step}, rate {rate:.3}");
            losses.extend(counted(&name, || network.step(rate).to_vec())?);
        }
    }
    let (eager, lazy) = losses.split_at(5);
    let apart = eager.iter().zip(lazy).map(|(a, b)| (a - b).abs());
    println!("  at most 1e-5 apart: {}", apart.fold(0.0, f32::max) <= 1e-5);
    Ok(())
}

/// Runs `work`, which ends by reading a value, and prints its cost.
fn counted<T>(
    name: &str,
    work: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    let (result, counts) = ledger::measure(work);
    let Counts { launches, builds, bytes_reached, .. } = counts;
    let reached = bytes_reached as f64 / 1000.0;
    println!("{name:32}{launches:>8}{builds:>8}{reached:>12.1}");
    result
}
