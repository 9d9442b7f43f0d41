//! The commands that reach a device from a training loop that reads the loss
//! in every step, and from one that reads it once.

use std::process::ExitCode;

use rungrad::opencl::record;
use rungrad::part3_unified::{Device, Tensor, no_grad};
use rungrad::timeline::{SliceKind, Timeline};
use rungrad::{Error, ledger};

const STEPS: usize = 3;

// ANCHOR: loops
/// Takes a training step on a layer and returns its loss.
fn step(x: &Tensor, w: &mut Tensor) -> Tensor {
    let y = x.matmul(w);
    let loss = y.mul(&y).mean();
    loss.backward();
    let grad = w.grad().expect("backward has been there");
    let better = no_grad(|| w.sub(&grad.scale(0.1)));
    *w = better.requires_grad();
    loss.detach()
}

fn a_read_in_each_step(x: &Tensor, w: &mut Tensor) -> Result<f32, Error> {
    let mut total = 0.0;
    for _ in 0..STEPS {
        total += step(x, w).to_vec()?[0];
    }
    Ok(total / STEPS as f32)
}

fn one_read_at_the_end(x: &Tensor, w: &mut Tensor) -> Result<f32, Error> {
    let mut total = Tensor::full(&[], 0.0, x.device())?;
    for _ in 0..STEPS {
        total += step(x, w);
    }
    Ok(total.to_vec()?[0] / STEPS as f32)
}
// ANCHOR_END: loops

type Loop = fn(&Tensor, &mut Tensor) -> Result<f32, Error>;

fn main() -> ExitCode {
    rungrad::run(|| {
        let device = Device::Gpu(0);
        let x = Tensor::rand(&[32, 64], 1, device)?;
        let loops: [(&str, Loop); 2] = [
            ("a read in each step", a_read_in_each_step),
            ("one read at the end", one_read_at_the_end),
        ];
        for (name, train) in loops {
            let mut w = Tensor::rand(&[64, 10], 2, device)?.requires_grad();
            // The first run compiles the kernels.
            train(&x, &mut w.clone())?;
            let (measured, timeline) =
                record(|| ledger::measure(|| train(&x, &mut w)))?;
            let (mean, counts) = measured;
            println!("{name}: the mean loss is {:.4}", mean?);
            println!(
                "  the ledger: launches {}, waits {}, bytes to the host {}",
                counts.launches, counts.waits, counts.bytes_to_host
            );
            println!("  the queue:  {}\n", queue(&timeline));
        }
        Ok(())
    })
}

/// Formats the commands in order, with consecutive ones of a kind merged.
fn queue(timeline: &Timeline) -> String {
    let mut parts: Vec<(&str, usize)> = vec![];
    for slice in &timeline.slices {
        let name = match slice.kind {
            SliceKind::Launch => "launches",
            SliceKind::Read => "read",
            _ => continue,
        };
        match parts.last_mut() {
            Some((last, count)) if *last == name => *count += 1,
            _ => parts.push((name, 1)),
        }
    }
    let parts = parts.into_iter().map(|(name, count)| match name {
        "read" => "READ".to_string(),
        _ => format!("{count} {name}"),
    });
    parts.collect::<Vec<_>>().join(", ")
}
