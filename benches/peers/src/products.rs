//! One product of two matrices, as the reader calls it: with the array that it
//! makes, and the node. Parts 1 and 3 multiply through a product of their own,
//! candle through `gemm`. Then, in how many products some rows alone have other bits
//! than the same rows among all.

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use candle_core::Tensor as Candle;
use rungrad::part1_cpu::Tensor as Part1;
use rungrad::part3_unified::{Device, Tensor as Part3};
use rungrad::rng::Random;

/// Rows, shared axis and columns: the layers of the digits, and what is larger.
const SIZES: [[usize; 3]; 7] = [
    [32, 64, 64],
    [32, 64, 10],
    [128, 784, 256],
    [128; 3],
    [256; 3],
    [512; 3],
    [1024; 3],
];
/// The time that one size is measured for, in seconds.
const PATIENCE: f64 = 3.0;
/// How many products are multiplied a second time, some of their rows alone.
const PRODUCTS: usize = 1000;
/// Short products are repeated until they are worth a look at the clock.
const WORTH: usize = 1 << 20;

/// The product of a size by each engine, and its numbers.
struct Engines {
    multiply: [Box<dyn Fn()>; 3],
    answers: [Vec<f32>; 3],
}

fn engines([m, k, n]: [usize; 3]) -> Result<Engines, Box<dyn Error>> {
    let mut random = Random::new(1);
    let mut numbers =
        |n| -> Vec<f32> { (0..n).map(|_| random.uniform() - 0.5).collect() };
    let (a, b) = (numbers(m * k), numbers(k * n));
    let (a1, b1) = (Part1::new(&[m, k], &a), Part1::new(&[k, n], &b));
    let cpu = Device::Cpu;
    let a3 = Part3::new(&[m, k], &a, cpu)?;
    let b3 = Part3::new(&[k, n], &b, cpu)?;
    let cpu = &candle_core::Device::Cpu;
    let ac = Candle::from_slice(&a, (m, k), cpu)?;
    let bc = Candle::from_slice(&b, (k, n), cpu)?;
    let answers = [
        a1.matmul(&b1).to_vec(),
        a3.matmul(&b3).to_vec()?,
        ac.matmul(&bc)?.flatten_all()?.to_vec1()?,
    ];
    let multiply: [Box<dyn Fn()>; 3] = [
        Box::new(move || _ = black_box(a1.matmul(&b1))),
        Box::new(move || _ = black_box(a3.matmul(&b3))),
        Box::new(move || _ = black_box(ac.matmul(&bc))),
    ];
    Ok(Engines { multiply, answers })
}

/// In how many of so many products it matters which rows are multiplied at
/// once, by Part 3 and by candle.
fn that_know_their_rows(count: usize) -> Result<[usize; 2], Box<dyn Error>> {
    let mut random = Random::new(2);
    let mut found = [0; 2];
    for _ in 0..count {
        let mut below = |n: usize| (random.uniform() * n as f32) as usize;
        let [m, k, n] = [1 + below(70), 1 + below(1200), 1 + below(70)];
        let from = below(m);
        let rows = 1 + below(m - from);
        let part = from * n..(from + rows) * n;
        let mut numbers = |n| -> Vec<f32> {
            (0..n).map(|_| random.uniform() - 0.5).collect()
        };
        let (a, b) = (numbers(m * k), numbers(k * n));
        let some = &a[from * k..(from + rows) * k];

        let part3 = |m, a: &[f32]| -> Result<Vec<f32>, Box<dyn Error>> {
            let a = Part3::new(&[m, k], a, Device::Cpu)?;
            let b = Part3::new(&[k, n], &b, Device::Cpu)?;
            Ok(a.matmul(&b).to_vec()?)
        };
        let candle = |m, a: &[f32]| -> Result<Vec<f32>, Box<dyn Error>> {
            let cpu = &candle_core::Device::Cpu;
            let a = Candle::from_slice(a, (m, k), cpu)?;
            let b = Candle::from_slice(&b, (k, n), cpu)?;
            Ok(a.matmul(&b)?.flatten_all()?.to_vec1()?)
        };
        let differ = |one: Vec<f32>, all: Vec<f32>| {
            usize::from(one != all[part.clone()])
        };
        found[0] += differ(part3(rows, some)?, part3(m, &a)?);
        found[1] += differ(candle(rows, some)?, candle(m, &a)?);
    }
    Ok(found)
}

pub(crate) fn table() -> Result<(), Box<dyn Error>> {
    let threads = std::env::var("RAYON_NUM_THREADS");
    println!(
        "microseconds, medians of {PATIENCE} s in turn; RAYON_NUM_THREADS {}\n\n\
         {:<18}{:>10}{:>10}{:>10}{:>16}",
        threads.as_deref().unwrap_or("unset"),
        "",
        "part 1",
        "part 3",
        "candle",
        "candle / part 3"
    );
    for size in SIZES {
        let Engines { multiply, answers } = engines(size)?;
        // Who computes something else is not a peer.
        for answer in &answers {
            let near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-3;
            if !answer.iter().zip(&answers[0]).all(near) {
                return Err(format!("{size:?}: the products differ").into());
            }
        }
        let repeats = (WORTH / size.iter().product::<usize>()).max(1);
        let mut times: [Vec<f64>; 3] = Default::default();
        let start = Instant::now();
        while start.elapsed().as_secs_f64() < PATIENCE {
            for (times, multiply) in times.iter_mut().zip(&multiply) {
                let start = Instant::now();
                (0..repeats).for_each(|_| multiply());
                let time = start.elapsed().as_secs_f64() * 1e6;
                times.push(time / repeats as f64);
            }
        }
        let [one, three, candle] = times.map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        });
        let size = size.map(|n| n.to_string()).join(" x ");
        println!(
            "{size:<18}{one:>10.1}{three:>10.1}{candle:>10.1}{:>16.2}",
            candle / three
        );
    }
    let [part3, candle] = that_know_their_rows(PRODUCTS)?;
    println!(
        "\nof {PRODUCTS} products some rows alone have other bits: part 3 \
         {part3}, candle {candle}"
    );
    Ok(())
}
