//! From which size on a second core pays: each loop on one thread and on all
//! of them, in turns. The numbers are medians.
//!
//! ```sh
//! cargo bench --bench part1
//! ```

use std::hint::black_box;
use std::process::Command;
use std::time::Instant;
use std::{env, fs};

use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use rungrad::part3_unified::{Device, Tensor};
use rungrad::rng::Random;

/// The time that one way of one size is measured for, in seconds.
const PATIENCE: f64 = 0.15;
const CHUNK: usize = 4096;

fn main() {
    println!("{}", machine());
    println!("cargo bench --bench part1; medians of {PATIENCE} s each\n");
    println!("                        serial      shared   serial / shared");
    for power in 10..=22 {
        let n = 1 << power;
        let (x, y) = (numbers(n), numbers(n));
        row(
            &format!("mul       2^{power}"),
            || x.iter().zip(&y).map(|(x, y)| x * y).collect::<Vec<f32>>(),
            || {
                let pairs = x.par_iter().zip(&y);
                pairs.map(|(x, y)| x * y).collect::<Vec<f32>>()
            },
        );
    }
    for power in 10..=22 {
        let x = numbers(1 << power);
        row(
            &format!("exp       2^{power}"),
            || x.iter().map(|x| x.exp()).collect::<Vec<f32>>(),
            || x.par_iter().map(|x| x.exp()).collect::<Vec<f32>>(),
        );
    }
    for power in 12..=22 {
        let x = numbers(1 << power);
        row(
            &format!("sum       2^{power}"),
            || x.chunks(CHUNK).map(sum_chunk).sum::<f64>(),
            || parallel_sum(&x),
        );
    }
    let one = ThreadPoolBuilder::new().num_threads(1).build();
    let one = one.expect("one thread");
    for n in [16, 24, 32, 48, 64, 96, 128, 192, 256, 512] {
        let matrix = || Tensor::new(&[n, n], &numbers(n * n), Device::Cpu);
        let [a, b] = [(); 2].map(|()| matrix().expect("enough memory"));
        let product = || a.matmul(&b);
        row(&format!("matmul    {n} x {n}"), || one.install(product), product);
    }
}

// ANCHOR: chunks
/// Sums in parallel. The chunks have a fixed size and their sums are added in
/// order, so the result has the same bits for any number of threads.
fn parallel_sum(values: &[f32]) -> f64 {
    let sums: Vec<f64> = values.par_chunks(CHUNK).map(sum_chunk).collect();
    sums.iter().sum()
}
// ANCHOR_END: chunks

/// Sums a chunk with eight independent accumulators, which the compiler turns
/// into vector instructions.
fn sum_chunk(values: &[f32]) -> f64 {
    let (eights, rest) = values.as_chunks::<8>();
    let mut sums = [0.0; 8];
    for eight in eights {
        let pairs = sums.iter_mut().zip(eight);
        pairs.for_each(|(sum, x)| *sum += f64::from(*x));
    }
    let rest = rest.iter().map(|&x| f64::from(x));
    sums.into_iter().chain(rest).sum()
}

fn numbers(n: usize) -> Vec<f32> {
    let mut random = Random::new(n as u64);
    (0..n).map(|_| random.uniform()).collect()
}

/// A line of the table: both ways in turn, until patience ends.
fn row<T>(what: &str, serial: impl Fn() -> T, shared: impl Fn() -> T) {
    let time = |way: &dyn Fn() -> T| {
        let start = Instant::now();
        black_box(way());
        start.elapsed().as_secs_f64() * 1e6
    };
    let mut times: [Vec<f64>; 2] = Default::default();
    let start = Instant::now();
    while start.elapsed().as_secs_f64() < 2.0 * PATIENCE {
        times[0].push(time(&serial));
        times[1].push(time(&shared));
    }
    let [serial, shared] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    });
    println!(
        "{what:<18} {serial:>8.1} us {shared:>8.1} us {:>8.2}",
        serial / shared
    );
}

/// The processor, how many threads share it, and what was compiled with what.
fn machine() -> String {
    let root = env!("CARGO_MANIFEST_DIR");
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let processor = rungrad::stopwatch::processor();
    let rustc = Command::new("rustc").arg("--version").output();
    let rustc = rustc.map_or("rustc".to_string(), |said| {
        String::from_utf8_lossy(&said.stdout).trim().to_string()
    });
    let lock = read(&format!("{root}/Cargo.lock"));
    let version = |name: &str| {
        let after = lock.split(&format!("name = \"{name}\"\n")).nth(1);
        let version = after.and_then(|rest| rest.split('"').nth(1));
        format!("{name} {}", version.unwrap_or("of no known version"))
    };
    let crates = ["ndarray", "pulp", "rayon"].map(version);
    format!(
        "{processor}, {} threads; {rustc}; {}",
        rayon::current_num_threads(),
        crates.join(", ")
    )
}
