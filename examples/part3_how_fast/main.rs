//! Predicts the time of a step on a device from three measured prices and the
//! ledger's counts, and compares it with the measured time. The chapter is
//! "How fast, and why".
//!
//! ```sh
//! cargo run --release --example part3_how_fast
//! cargo run --release --example part3_how_fast -- --device gpu:1
//! cargo run --release --example part3_how_fast -- --quick
//! ```
//!
//! Three small measurements give the price of a launch, of a byte and of a
//! multiply-add on the device. Each row is then run once under the ledger,
//! which counts what the step requests, and many times for the clock. The last
//! column is the same step on the processor without a driver. Rows have the
//! same names as in `cargo learn bench`; a GPU gets larger ones.
//!
//!   --device gpu:1  which OpenCL device (RUNGRAD_DEVICE, else gpu:0)
//!   --quick         less time per row, with less accurate results

mod clock;
mod model;
mod rows;

use std::io::{IsTerminal, stderr};
use std::process::ExitCode;

use rungrad::opencl::{Gpu, Kind};
use rungrad::part3_unified::Device;
use rungrad::stopwatch::{Seconds, machine};
use rungrad::{Error, attempt, ledger};

use clock::seconds;
use model::Model;
use rows::{Row, rows};

fn main() -> ExitCode {
    rungrad::run(|| {
        let (device, patience) = request(&rungrad::args())?;
        let Device::Gpu(index) = device else {
            return Err(Error::Usage(format!(
                "the model is about launches, and {device} has none. Name an \
                 OpenCL device: --device gpu; the processor is the last \
                 column all the same."
            )));
        };
        let gpu = Gpu::open(index)?;
        print!("{}", machine(&gpu));
        let is_card = gpu.info().kind == Kind::Gpu;
        let model = Model::measure(device, is_card, patience)?;
        println!("\n{model}\n");
        table(&model, &rows(is_card), device, patience)
    })
}

/// Parses the device and the seconds per row.
fn request(words: &[String]) -> Result<(Device, f64), Error> {
    let (mut device, mut patience) = (None, 0.3);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match (word.as_str(), words.as_slice().first()) {
            ("--quick", _) => patience = 0.0,
            ("--device", Some(name)) => {
                device = Some(name.parse()?);
                words.next();
            }
            _ => {
                return Err(Error::Usage(format!(
                    "part3_how_fast takes --device NAME and --quick, not \
                     `{word}`."
                )));
            }
        }
    }
    // Unlike other programs, this one needs OpenCL: the model is about
    // launches.
    let named = match std::env::var_os("RUNGRAD_DEVICE") {
        Some(_) => Device::from_env()?,
        None => Device::Gpu(0),
    };
    Ok((device.unwrap_or(named), patience))
}

/// Predicts and measures each row.
fn table(
    model: &Model,
    rows: &[Row],
    device: Device,
    patience: f64,
) -> Result<(), Error> {
    println!(
        "{:<19}{:>8} {:>7} {:>8} {:>9} {:>8} {:>6} {:>8}",
        "row", "launches", "MB", "FMAs", "predicted", "measured", "", "cpu"
    );
    let (mut off, mut wins) = (1.0_f64, 0);
    for row in rows {
        announce(&row.name);
        let mut step = (row.build)(device)?;
        let counts = counted(&mut step)?;
        let predicted = model.predict(&counts);
        let measured = seconds(&mut step, device, patience)?;
        let mut step = (row.build)(Device::Cpu)?;
        let cpu = seconds(&mut step, Device::Cpu, patience)?;
        announce("");
        println!(
            "{:<21}{:>6} {:>7.2} {:>7.1}M {:>9} {:>8} {:>5.2}x {:>8}",
            row.name,
            counts.launches,
            counts.bytes_reached as f64 * 1e-6,
            counts.products as f64 * 1e-6,
            Seconds(predicted),
            Seconds(measured),
            measured / predicted,
            Seconds(cpu)
        );
        off = off.max(measured / predicted).max(predicted / measured);
        wins += usize::from(cpu < measured);
    }
    println!("\nthe model is right within a factor of {off:.1}");
    println!("the processor alone is faster in {wins} of {} rows", rows.len());
    Ok(())
}

// ANCHOR: counted
/// Returns the counts of one warm run of a step.
fn counted(step: &mut dyn FnMut()) -> Result<ledger::Counts, Error> {
    attempt(|| {
        // The first run compiles the kernels, the second fills the buffer
        // pool.
        step();
        step();
        ledger::measure(step).1
    })
}
// ANCHOR_END: counted

/// Prints what is being measured, if the output is a terminal.
fn announce(name: &str) {
    if stderr().is_terminal() {
        eprint!("\r\x1b[K{name}");
    }
}
