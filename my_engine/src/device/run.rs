//! Trains the digits on the reader's device, beside the processor.

use std::time::Duration;

use rungrad::Error;
use rungrad::part3_unified::Device;

use super::watched::{Asked, asked};
use crate::digits::{beside, lines};
use crate::its_file;
use testkit::engine::Part3;

/// Trains on both, and says which functions are the reader's and what each has
/// taken.
pub(super) fn run() -> Result<(), Error> {
    let device = super::registered();
    let ours = ["src/engine/cpu", "src/engine/cpu.rs"];
    let cpu = Part3(Device::Cpu);
    let begin = || {
        drop(asked());
        Ok(())
    };
    beside(&Part3(device), (&cpu, "processor"), lines(&ours), begin)?;
    let all = asked();
    let whole: Duration = all.values().map(|it| it.time).sum();
    println!("\nWhat your device was asked for:\n");
    println!("  {:<14}{:>8}{:>10}  whose", "function", "calls", "time");
    let mut rows: Vec<(&str, Asked)> = all.into_iter().collect();
    rows.sort_by_key(|(_, it)| std::cmp::Reverse(it.time));
    for (name, Asked { times, left, time }) in rows {
        let share = 100.0 * time.as_secs_f64() / whole.as_secs_f64();
        let whose = if left == 0 { "yours" } else { "the processor's" };
        println!("  {name:<14}{times:>8}{share:>8.1} %  {whose}");
    }
    println!("\nThe device is {device}, of {}.", exercises::shown(its_file()));
    Ok(())
}
