//! A model of the time of a training step on 1 to 1,000 ranks, with a latency
//! and a bandwidth that are fitted to this machine.
//!
//! usage: cluster_model [-n RANKS] [--bytes N] [--compute MS] [--buckets N]
//!                      [--most RANKS]
//!
//!   -n RANKS      runs the ranks as threads of this process (4); with the
//!                 feature `mpi` and without -n, `mpirun -n 4` starts them
//!   --bytes N     the bytes of all gradients (4000000)
//!   --compute MS  the time of the forward and backward pass (30)
//!   --buckets N   the number of buckets (4)
//!   --most RANKS  the largest number of ranks in the table (1000)

#[path = "shared/ranks.rs"]
mod ranks;

use std::process::ExitCode;
use std::thread;
use std::time::{Duration, Instant};

use cluster::local::Cost;
use cluster::model::{Measurement, Step, fit};
use cluster::{Collective, Link, Pending, algorithms};
use ranks::{number, reported_once, run_ranks};
use rungrad::{Error, Result};

fn main() -> ExitCode {
    rungrad::run(|| {
        let mut request = reported_once(Request::parse(&rungrad::args()))?;
        if !cfg!(feature = "mpi") {
            request.threads = request.threads.or(Some(4));
        }
        run_ranks(request.threads, |it| work(it, &request))
    })
}

/// The numbers of ranks on which steps are measured.
const MEASURED: [usize; 3] = [1, 2, 4];

fn work(collective: &Collective, request: &Request) -> Result<()> {
    if collective.size() < 4 {
        return Err(Error::Usage(format!(
            "cluster_model measures on 2 and 4 ranks, and has {}; start it \
             with -n 4",
            collective.size()
        )));
    }
    let mut measurements = Vec::new();
    for ranks in [2, 4] {
        for len in [256, 4096, 65_536, 1 << 20] {
            let seconds = fastest(collective, || {
                all_reduce(collective, ranks, len).wait().map(drop)
            })?;
            let bytes = (4 * len) as f64;
            measurements.push(Measurement { ranks, bytes, seconds });
        }
    }
    let step = request.step(request.compute as f64 / 1e3);
    let mut measured = Vec::new();
    for ranks in MEASURED {
        measured.push(fastest(collective, || run(collective, ranks, step))?);
    }
    if collective.rank() == 0 {
        let kind = if request.threads.is_some() { "threads" } else { "MPI" };
        print(request, kind, &measurements, &measured);
    }
    // The other ranks wait, so that they compute nothing else.
    collective.barrier()
}

/// Returns the shortest time of `work` on this rank.
fn fastest(
    collective: &Collective,
    work: impl Fn() -> Result<()>,
) -> Result<f64> {
    let mut fastest = f64::INFINITY;
    for _ in 0..20 {
        collective.barrier()?;
        let start = Instant::now();
        work()?;
        fastest = fastest.min(start.elapsed().as_secs_f64());
    }
    Ok(fastest)
}

/// Adds values of the first ranks. The others do nothing.
fn all_reduce(collective: &Collective, ranks: usize, len: usize) -> Pending {
    let values = vec![1.0; len];
    collective.submit(move |link| match link.rank() < ranks {
        true => {
            let mut link = FirstRanks { link, size: ranks };
            algorithms::ring_all_reduce(&mut link, values)
        }
        false => Ok(values),
    })
}

/// Runs a step whose computation is a pause, as on a device that leaves the
/// processor to the network.
fn run(collective: &Collective, ranks: usize, step: Step) -> Result<()> {
    if collective.rank() >= ranks {
        return Ok(());
    }
    thread::sleep(Duration::from_secs_f64(step.forward));
    let len = step.bytes as usize / 4 / step.buckets;
    let start = |_| {
        let seconds = step.backward / step.buckets as f64;
        thread::sleep(Duration::from_secs_f64(seconds));
        all_reduce(collective, ranks, len)
    };
    let pending: Vec<_> = (0..step.buckets).map(start).collect();
    pending.into_iter().try_for_each(|it| it.wait().map(drop))
}

/// The link of the first `size` ranks with each other.
struct FirstRanks<'a> {
    link: &'a mut dyn Link,
    size: usize,
}

impl Link for FirstRanks<'_> {
    fn rank(&self) -> usize {
        self.link.rank()
    }

    fn size(&self) -> usize {
        self.size
    }

    fn exchange(
        &mut self,
        to: usize,
        values: &[f32],
        from: usize,
        receive: &mut dyn FnMut(&[f32]),
    ) -> Result<()> {
        self.link.exchange(to, values, from, receive)
    }
}

fn print(
    request: &Request,
    kind: &str,
    measurements: &[Measurement],
    measured: &[f64],
) {
    let cost = fit(measurements);
    println!("all-reduces in this run, shortest of 20, ranks by {kind}");
    println!("  ranks       bytes    measured       model");
    for it in measurements {
        let [measured, model] = [it.seconds, it.predicted(cost)]
            .map(|seconds| format!("{:.3} ms", seconds * 1e3));
        let Measurement { ranks, bytes, .. } = it;
        println!("  {ranks:>5}  {bytes:>10}  {measured:>10}  {model:>10}");
    }
    let Cost { latency, bandwidth } = cost;
    println!(
        "fitted: latency {:.1} us, bandwidth {:.3} GB/s",
        latency * 1e6,
        bandwidth / 1e9
    );
    println!();
    let Request { bytes, compute, buckets, .. } = request;
    println!(
        "a step: {compute} ms of computation, {bytes} bytes of gradients in \
         {buckets} buckets"
    );
    println!("A MODEL, except the column \"measured\":");
    println!("  ranks    measured       model  without overlap  efficiency");
    // A pause takes longer than it should, so the model begins with the time
    // that was measured on one rank.
    let alone = measured[0];
    let step = request.step(alone);
    let powers = (0..).map(|k| 1 << k);
    let powers = powers.take_while(|ranks| *ranks < request.most);
    for ranks in powers.chain([request.most]) {
        let model = step.simulate(ranks, cost);
        let bytes = step.bytes / step.buckets as f64;
        let bucket = Measurement { ranks, bytes, seconds: 0.0 };
        let sum = step.buckets as f64 * bucket.predicted(cost);
        let [model_text, sum] = [model, alone + sum]
            .map(|seconds| format!("{:.2} ms", seconds * 1e3));
        let index = MEASURED.iter().position(|it| *it == ranks);
        let measured = index.map_or(String::new(), |index| {
            format!("{:.2} ms", measured[index] * 1e3)
        });
        let efficiency = 100.0 * alone / model;
        println!(
            "  {ranks:>5}  {measured:>10}  {model_text:>10}  {sum:>15}  \
             {efficiency:>8.0} %"
        );
    }
}

/// The parsed command line.
struct Request {
    threads: Option<usize>,
    bytes: usize,
    compute: usize,
    buckets: usize,
    most: usize,
}

impl Request {
    fn parse(words: &[String]) -> Result<Request> {
        let mut request = Request {
            threads: None,
            bytes: 4_000_000,
            compute: 30,
            buckets: 4,
            most: 1000,
        };
        let mut words = words.iter();
        while let Some(option) = words.next() {
            let known = match option.as_str() {
                "-n" => request.threads.insert(0),
                "--bytes" => &mut request.bytes,
                "--compute" => &mut request.compute,
                "--buckets" => &mut request.buckets,
                "--most" => &mut request.most,
                _ => {
                    return Err(Error::Usage(format!(
                        "cluster_model has no option `{option}`; `--help` \
                         lists its options"
                    )));
                }
            };
            *known = number(option, words.next().cloned())?;
        }
        Ok(request)
    }

    /// Returns the step whose computation takes `seconds`, two thirds of them
    /// in the backward pass.
    fn step(&self, seconds: f64) -> Step {
        Step {
            forward: seconds / 3.0,
            backward: seconds * 2.0 / 3.0,
            buckets: self.buckets,
            bytes: self.bytes as f64,
        }
    }
}
