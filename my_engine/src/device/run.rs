//! Trains the digits on the reader's device and on the processor.

use std::time::Duration;

use rungrad::Error;
use rungrad::part3_unified::Device;

use super::watched::{CallStats, take_calls};
use crate::digits::{beside, lines};
use crate::reader_file;
use testkit::engine::Part3;

/// Trains on both, then prints which functions are the reader's and how much
/// time each took.
pub(super) fn run() -> Result<(), Error> {
    let device = super::registered();
    let ours = ["src/engine/cpu", "src/engine/cpu.rs"];
    let cpu = Part3(Device::Cpu);
    let begin = || {
        drop(take_calls());
        Ok(())
    };
    beside(&Part3(device), (&cpu, "processor"), lines(&ours), begin)?;
    let all = take_calls();
    let whole: Duration = all.values().map(|it| it.time).sum();
    println!("\nCalls of your device:\n");
    println!("  {:<14}{:>8}{:>10}  computed by", "function", "calls", "time");
    let mut rows: Vec<(&str, CallStats)> = all.into_iter().collect();
    rows.sort_by_key(|(_, it)| std::cmp::Reverse(it.time));
    for (name, CallStats { times, left, time }) in rows {
        let share = 100.0 * time.as_secs_f64() / whole.as_secs_f64();
        let whose = if left == 0 { "your device" } else { "the processor" };
        println!("  {name:<14}{times:>8}{share:>8.1} %  {whose}");
    }
    println!(
        "\nThe device is {device}, from {}.",
        exercises::shown(reader_file())
    );
    Ok(())
}
