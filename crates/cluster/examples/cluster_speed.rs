//! Measures the time of a training step on several ranks, and the price of
//! adding the gradients in a fixed order.
//!
//! usage: cluster_speed [-n RANKS] [--model M] [--device D] [--batch N]
//!                      [--steps N] [--bucket N] [--plain] [--lanes]
//!
//!   -n RANKS    runs the ranks as threads of this process; without it and with
//!               the feature `mpi`, `mpirun -n RANKS` starts them
//!   --model M   names, shakespeare or shakespeare-large (names): the networks
//!               of part3_names and part3_shakespeare
//!   --device D  cpu, gpu or fused (cpu); each rank takes the next GPU, and
//!               several ranks share one if there are not enough
//!   --batch N   the rows of a batch, which the ranks divide (64, or 12 for
//!               shakespeare)
//!   --steps N   the number of steps in each median (50)
//!   --bucket N  the number of elements in a bucket (262144)
//!   --plain     adds the gradients in the fastest order only
//!   --lanes     draws one step: what the device and the network do, and when
//!
//! `benches/peers/ddp.py` measures the same step with PyTorch.

#[path = "shared/mod.rs"]
mod shared;

use std::ops::Range;
use std::process::ExitCode;
use std::time::Instant;

use cluster::{Collective, DataParallel, Order, part};
use rungrad::data::{TokenBatch, names, shakespeare};
use rungrad::loader::Loader;
use rungrad::nn::{Gpt, GptSizes, Parameters};
use rungrad::opencl;
use rungrad::optim::{AdamW, Optimizer};
use rungrad::rng::Random;
use rungrad::stopwatch::median;
use rungrad::timeline::{SliceKind, Times};
use rungrad::{Device, Error, Result, Tensor};

use shared::ranks::{number, reported_once, run_ranks};
use shared::{device, loss, row_weights};

fn main() -> ExitCode {
    rungrad::run(|| {
        let request = reported_once(Request::parse(&rungrad::args()))?;
        run_ranks(request.threads, |it| measure(it, &request))
    })
}

/// The number of steps before those that are measured.
const WARM_UP: usize = 10;

/// The number of shards for which a run has the same bits on 1 to 8 ranks.
const SHARDS: usize = 8;

fn measure(collective: &Collective, request: &Request) -> Result<()> {
    let (rank, size) = (collective.rank(), collective.size());
    let work = Work::new(request, rank)?;
    let is_first = rank == 0;
    let mut alone = f64::NAN;
    if is_first {
        alone = work.local_steps(0..1, 1)?;
        let name = work.device.name()?;
        println!(
            "{}, batch {}, {} steps, {}: {name}",
            request.model, work.rows, request.steps, work.device
        );
        println!(
            "  {:<28}{:>9}{:>9}{:>14}{:>12}{:>9}",
            "ms", "step", "speedup", "computation", "reductions", "hidden"
        );
        println!("  {:<28}{alone:>9.2}{:>9.2}", "1 rank", 1.0);
    }
    let mut orders = vec![Order::Fastest];
    if !request.plain {
        orders.push(Order::Fixed { shards: size });
        orders.push(Order::Fixed { shards: size.max(SHARDS) });
        orders.dedup();
    }
    let mut plain = f64::NAN;
    for order in orders {
        let shards = match order {
            Order::Fastest => size,
            Order::Fixed { shards } => shards,
        };
        collective.barrier()?;
        let local = work.local_steps(part(shards, size, rank), shards)?;
        collective.barrier()?;
        let [step, reductions] = work.parallel_steps(collective, order)?;
        if !is_first {
            continue;
        }
        let name = match order {
            Order::Fastest => format!("{size} ranks, fastest order"),
            Order::Fixed { shards } => format!("{size} ranks, {shards} shards"),
        };
        let hidden = (1.0 - (step - local) / reductions).clamp(0.0, 1.0);
        print!(
            "  {name:<28}{step:>9.2}{:>9.2}{local:>14.2}{reductions:>12.2}\
             {:>7.0} %",
            alone / step,
            100.0 * hidden
        );
        match order {
            Order::Fastest => plain = step,
            Order::Fixed { .. } => {
                let price = 100.0 * (step / plain - 1.0);
                print!("  the fixed order costs {price:+.0} %");
            }
        }
        println!();
    }
    if request.lanes {
        work.lanes(collective)?;
    }
    // The other ranks wait, so that they compute nothing else.
    collective.barrier()
}

/// What all measurements share.
struct Work<'a> {
    request: &'a Request,
    device: Device,
    /// The rows of a batch.
    rows: usize,
    sizes: GptSizes,
    batches: Vec<TokenBatch>,
}

impl Work<'_> {
    fn new(request: &Request, rank: usize) -> Result<Work<'_>> {
        let sizes = |context, layers, heads, width, dropout| GptSizes {
            vocabulary: 0,
            context,
            layers,
            heads,
            width,
            dropout,
        };
        let (mut sizes, rows) = match request.model.as_str() {
            "names" => (sizes(16, 4, 4, 64, 0.0), 64),
            "shakespeare" => (sizes(64, 4, 4, 128, 0.0), 12),
            "shakespeare-large" => (sizes(256, 6, 6, 384, 0.2), 64),
            other => {
                return Err(Error::Usage(format!(
                    "there is no model `{other}`; it can be names, shakespeare \
                     or shakespeare-large"
                )));
            }
        };
        let rows = request.batch.unwrap_or(rows);
        let batches = if request.model == "names" {
            let list = names();
            sizes.vocabulary = list.vocabulary.size();
            let mut loader = Loader::new(list.whole(sizes.context), rows, 0);
            [(); 8].map(|()| loader.next_batch())
        } else {
            let text = shakespeare();
            sizes.vocabulary = text.vocabulary.size();
            let windows = text.windows(sizes.context, 1);
            let mut loader = Loader::new(windows, rows, 0);
            [(); 8].map(|()| loader.next_batch())
        };
        let device = device(&request.device, rank)?;
        let batches = batches.into();
        Ok(Work { request, device, rows, sizes, batches })
    }

    fn model(&self) -> Result<(Gpt, AdamW)> {
        let mut gpt = Gpt::new(self.sizes, &mut Random::new(0));
        gpt.to(self.device)?;
        let of_matrices =
            |_: &str, p: &Tensor| if p.rank() > 1 { 0.1 } else { 0.0 };
        Ok((gpt, AdamW::new(1e-3, 0.1).decay_by(of_matrices)))
    }

    fn parallel<'a>(
        &self,
        collective: &'a Collective,
        order: Order,
    ) -> DataParallel<'a> {
        let parallel = DataParallel::new(collective, order);
        let bucket_len = self.request.bucket.unwrap_or(parallel.bucket_len);
        DataParallel { bucket_len, ..parallel }
    }

    /// Returns the median of the milliseconds of a step without reductions, for
    /// some shards of each batch.
    fn local_steps(&self, own: Range<usize>, shards: usize) -> Result<f64> {
        let (mut gpt, mut adam) = self.model()?;
        let step = |batch: &TokenBatch| {
            for shard in own.clone() {
                let rows = part(batch.rows(), shards, shard);
                if !rows.is_empty() {
                    loss(&gpt, batch, rows).backward();
                }
            }
            adam.step(gpt.parameters_mut());
            self.device.synchronize().map(|()| 0.0)
        };
        self.medians(step).map(|[step, _]| step)
    }

    /// Returns the medians of the milliseconds of a step, and of its
    /// reductions.
    fn parallel_steps(
        &self,
        collective: &Collective,
        order: Order,
    ) -> Result<[f64; 2]> {
        let (mut gpt, mut adam) = self.model()?;
        let parallel = self.parallel(collective, order);
        parallel.broadcast(&mut gpt)?;
        self.medians(|batch| {
            let loss = |rows| loss(&gpt, batch, rows);
            let reduction =
                parallel.backward(&gpt, &row_weights(batch), loss)?;
            let (_, intervals) = reduction.wait_with_intervals()?;
            adam.step(gpt.parameters_mut());
            self.device.synchronize()?;
            let seconds = intervals.iter().map(|[from, to]| *to - *from);
            Ok(seconds.map(|it| it.as_secs_f64()).sum::<f64>() * 1e3)
        })
    }

    /// Returns the medians of the milliseconds that `step` takes, and of those
    /// that it returns.
    fn medians(
        &self,
        mut step: impl FnMut(&TokenBatch) -> Result<f64>,
    ) -> Result<[f64; 2]> {
        let mut times = [Vec::new(), Vec::new()];
        for index in 0..WARM_UP + self.request.steps {
            let batch = &self.batches[index % self.batches.len()];
            let start = Instant::now();
            let part = step(batch)?;
            if index >= WARM_UP {
                times[0].push(start.elapsed().as_secs_f64() * 1e3);
                times[1].push(part);
            }
        }
        Ok(times.map(median))
    }

    /// Draws one step of rank 0 with the fastest order.
    fn lanes(&self, collective: &Collective) -> Result<()> {
        let (mut gpt, mut adam) = self.model()?;
        let parallel = self.parallel(collective, Order::Fastest);
        parallel.broadcast(&mut gpt)?;
        let mut last = None;
        // In the first steps, kernels are compiled.
        for batch in &self.batches {
            collective.barrier()?;
            let start = Instant::now();
            let (result, timeline) = opencl::record(|| {
                let loss = |rows| loss(&gpt, batch, rows);
                let reduction =
                    parallel.backward(&gpt, &row_weights(batch), loss)?;
                let waits = Instant::now();
                let (_, intervals) = reduction.wait_with_intervals()?;
                let waits = [waits, Instant::now()];
                adam.step(gpt.parameters_mut());
                self.device.synchronize()?;
                Ok::<_, Error>((intervals, waits, start.elapsed()))
            })?;
            last = Some((result?, timeline, start));
        }
        let Some(((intervals, waits, whole), timeline, start)) = last else {
            return Ok(());
        };
        if collective.rank() > 0 {
            return Ok(());
        }
        let whole = whole.as_secs_f64();
        let on_device = |kind| {
            let slices = timeline.slices.iter().filter(|it| it.kind == kind);
            let times = slices.filter_map(|it| it.times);
            let seconds = |it: Times| {
                [it.started, it.ended].map(|time| time as f64 * 1e-9)
            };
            times.map(seconds).collect()
        };
        let since = |[from, to]: [Instant; 2]| {
            [from - start, to - start].map(|it| it.as_secs_f64())
        };
        println!("\none recorded step of rank 0, {:.2} ms:", whole * 1e3);
        let lane = |name: &str, intervals: Vec<[f64; 2]>| {
            println!("  {name:<11}|{}|", bar(&intervals, whole));
        };
        lane("kernels", on_device(SliceKind::Launch));
        lane("reads", on_device(SliceKind::Read));
        lane("uploads", on_device(SliceKind::Upload));
        lane("reductions", intervals.into_iter().map(since).collect());
        lane("host waits", vec![since(waits)]);
        Ok(())
    }
}

/// Draws intervals within `0.0..whole`.
fn bar(intervals: &[[f64; 2]], whole: f64) -> String {
    const LEN: usize = 64;
    let mut bar = [b' '; LEN];
    for interval in intervals {
        let [from, to] =
            interval.map(|time| (time / whole * LEN as f64) as usize);
        let from = from.min(LEN - 1);
        bar[from..to.clamp(from + 1, LEN)].fill(b'=');
    }
    bar.map(char::from).iter().collect()
}

/// The parsed command line.
struct Request {
    threads: Option<usize>,
    model: String,
    device: String,
    batch: Option<usize>,
    steps: usize,
    bucket: Option<usize>,
    plain: bool,
    lanes: bool,
}

impl Request {
    fn parse(words: &[String]) -> Result<Request> {
        let mut request = Request {
            threads: None,
            model: "names".to_string(),
            device: "cpu".to_string(),
            batch: None,
            steps: 50,
            bucket: None,
            plain: false,
            lanes: false,
        };
        let mut words = words.iter();
        while let Some(option) = words.next() {
            let mut value = || words.next().cloned();
            match option.as_str() {
                "--plain" => request.plain = true,
                "--lanes" => request.lanes = true,
                "-n" => request.threads = Some(number(option, value())?),
                "--batch" => request.batch = Some(number(option, value())?),
                "--bucket" => request.bucket = Some(number(option, value())?),
                "--steps" => request.steps = number(option, value())?,
                "--model" => request.model = value().unwrap_or_default(),
                "--device" => request.device = value().unwrap_or_default(),
                _ => {
                    return Err(Error::Usage(format!(
                        "cluster_speed has no option `{option}`; `--help` \
                         lists its options"
                    )));
                }
            }
        }
        Ok(request)
    }
}
