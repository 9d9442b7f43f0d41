//! Four kernels with one bug each, and how a device reacts to them. Without
//! arguments each runs in a child process, because one of them may never
//! return.

// The bugs are the lesson, and the host cannot detect them.
#![allow(unsafe_code)]

use std::process::{Child, Command, ExitCode, Stdio};
use std::time::{Duration, Instant};
use std::{env, thread};

use rungrad::Error;
use rungrad::opencl::{Gpu, Source};

/// A kernel, its source, and the expected value at index `i`.
type Fault = (&'static str, &'static str, fn(a: &[f32], i: usize) -> f32);

const FAULTS: [Fault; 4] = [
    ("past_the_end", include_str!("past_the_end.cl"), |a, i| 2.0 * a[i]),
    ("race", include_str!("race.cl"), |a, i| match i {
        0 => a[0],
        _ => a[i - 1] + a[i],
    }),
    ("unwritten", include_str!("unwritten.cl"), |a, i| a[i]),
    ("divergent", include_str!("divergent.cl"), |a, i| a[a.len() - 1 - i]),
];

const GROUP: usize = 8;
const RUNS: usize = 20;
/// Time limit per child; generous, because compiling on a busy machine is
/// slow.
const PATIENCE: Duration = Duration::from_secs(20);

fn main() -> ExitCode {
    let words = rungrad::args();
    rungrad::run(|| match &words[..] {
        [] => every_fault(),
        [name] => one_fault(name, 5),
        [name, n] => match n.parse() {
            Ok(n) if (1..=GROUP).contains(&n) => one_fault(name, n),
            _ => Err(usage()),
        },
        _ => Err(usage()),
    })
}

// ANCHOR: one-fault
/// Runs one kernel repeatedly on `n` elements, as a real program would.
fn one_fault(name: &str, n: usize) -> Result<(), Error> {
    let known = FAULTS.iter().find(|fault| fault.0 == name);
    let (name, text, right) = known.ok_or_else(usage)?;
    let source = Source::new(&format!("{name}.cl"), text, name);
    let gpu = Gpu::first()?;
    let a: Vec<f32> = (1..=n).map(|i| i as f32).collect();
    let mut wrong = 0;
    for _ in 0..RUNS {
        let input = gpu.upload(&a)?;
        let out = gpu.allocate::<f32>(n)?;
        let launch = gpu
            .launch_source(&source)
            .input(&input, n)
            .output(&out, n)
            .scalar(n as u32)
            .global(n)
            .local(GROUP);
        // SAFETY: this is unsound on purpose. `run` checks what can be checked
        // before a launch; the kernel itself has the bug.
        unsafe { launch.run() }?;
        let out = out.read()?;
        wrong += (0..n).filter(|&i| out[i] != right(&a, i)).count();
    }
    println!("{name}: {}", if wrong == 0 { "right" } else { "wrong" });
    Ok(())
}
// ANCHOR_END: one-fault

fn every_fault() -> Result<(), Error> {
    println!("on {}", Gpu::first()?.name());
    for (name, ..) in FAULTS {
        let program = env::current_exe().map_err(broken)?;
        let child = Command::new(program)
            .arg(name)
            // Asks glibc to fill new memory with 0x40 bytes, which are 3.004 as
            // floats: without it, fresh memory is zero and hides `unwritten`.
            .env("MALLOC_PERTURB_", "191")
            .stderr(Stdio::null())
            .spawn()
            .map_err(broken)?;
        if !succeeds(child)? {
            println!("{name}: no answer");
        }
    }
    Ok(())
}

/// Returns whether a child succeeds within the time limit.
fn succeeds(mut child: Child) -> Result<bool, Error> {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        if let Some(status) = child.try_wait().map_err(broken)? {
            return Ok(status.success());
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.kill().and_then(|()| child.wait()).map_err(broken)?;
    Ok(false)
}

fn usage() -> Error {
    let names: Vec<&str> = FAULTS.iter().map(|fault| fault.0).collect();
    Error::Usage(format!(
        "part2_raw_faults takes no arguments, or one of {} and a number from 1 \
         to {GROUP}.",
        names.join(", ")
    ))
}

fn broken(error: std::io::Error) -> Error {
    Error::Device(format!("this program cannot start itself: {error}"))
}
