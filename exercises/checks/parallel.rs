//! Checks `parallel`, which uses threads when they pay off.
//!
//! The check creates the thread pool, so that the verdict is the same on every
//! machine: four threads for a map, and one to four for a sum.

use std::collections::HashSet;
use std::process::ExitCode;
use std::sync::Mutex;
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use exercises::{Outcome, check, expect, numbers, wrong};
use rayon::{ThreadPool, ThreadPoolBuilder};

exercises::yours!("part1_cpu/parallel.rs");

fn main() -> ExitCode {
    check(
        "parallel",
        YOURS,
        &[
            ("map of few and of many elements, in order", values),
            ("a hundred elements stay on one thread", few),
            ("100,000 elements are distributed", many),
            ("sum has the same bits with one to four threads", bits),
        ],
    )
}

fn pool(threads: usize) -> ThreadPool {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build();
    pool.expect("a few threads")
}

fn values(_: &()) -> Outcome {
    // The limit may be 0, and the array must fit into memory.
    let limit = yours::PARALLEL.min(1 << 20);
    for len in [0, 1, 777, limit.saturating_sub(1), limit + 5] {
        let x = numbers(1, len);
        let right: Vec<f32> = x.iter().map(|x| 2.0 * x + 1.0).collect();
        let found = yours::map(&x, |x| 2.0 * x + 1.0);
        expect(&format!("map of {len} elements"), &found, &right)?;
    }
    Ok(())
}

/// Returns how many of four threads worked on `len` elements. The thread with
/// the first element waits for another one for at most `patience`.
fn threads(len: usize, patience: Duration) -> usize {
    let seen: Mutex<HashSet<ThreadId>> = Mutex::new(HashSet::new());
    let note = || {
        let mut seen =
            seen.lock().expect("no thread panics while it holds the lock");
        seen.insert(thread::current().id());
        seen.len()
    };
    let x: Vec<f32> = (0..len).map(|i| i as f32).collect();
    pool(4).install(|| {
        yours::map(&x, |x| {
            let start = Instant::now();
            while note() == 1 && x == 0.0 && start.elapsed() < patience {
                thread::sleep(Duration::from_millis(1));
            }
            x
        })
    });
    seen.into_inner().expect("no thread panics while it holds the lock").len()
}

fn few(_: &()) -> Outcome {
    match threads(100, Duration::from_millis(100)) {
        1 => Ok(()),
        found => Err(wrong(format!(
            "{found} threads worked on 100 elements. Distributing them takes \
             longer than computing them: use one thread below PARALLEL \
             elements."
        ))),
    }
}

fn many(_: &()) -> Outcome {
    match threads(100_000, Duration::from_secs(2)) {
        1 => Err(wrong(
            "One thread computed all of 100,000 elements, and three others had \
             nothing to do. Use several threads from PARALLEL elements on.",
        )),
        _ => Ok(()),
    }
}

/// Values that differ by a factor of a million, so that the order of additions
/// matters.
fn bits(_: &()) -> Outcome {
    let scale = |i: usize| 10f32.powi((i * 7 % 13) as i32 - 6);
    let x = numbers(2, 200_001);
    let x: Vec<f32> = x.iter().enumerate().map(|(i, x)| x * scale(i)).collect();
    let exact: f64 = x.iter().map(|x| f64::from(*x)).sum();
    let sizes: f64 = x.iter().map(|x| f64::from(x.abs())).sum();
    let first = pool(1).install(|| yours::sum(&x));
    if (f64::from(first) - exact).abs() > 1e-5 * sizes {
        return Err(wrong(format!(
            "The sum of 200,001 elements is wrong.\n\n  yours  {first}\n  \
             right  {exact}"
        )));
    }
    for threads in 2..=4 {
        let found = pool(threads).install(|| yours::sum(&x));
        if found.to_bits() != first.to_bits() {
            return Err(wrong(format!(
                "The sum of the same 200,001 elements depends on the number of \
                 threads: {first} with one, {found} with {threads}. Split the \
                 array into chunks of a fixed size, and add up their sums in \
                 order."
            )));
        }
    }
    Ok(())
}
