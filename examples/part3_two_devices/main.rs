//! A data-parallel training step on two devices, compared with the same step
//! on one.

mod sharing;

use std::process::ExitCode;

use rungrad::Error;
use rungrad::data::{SPLIT_SEED, digits};
use rungrad::nn::Parameters;
use rungrad::optim::{Optimizer, Sgd};
use rungrad::part3_unified::{Device, Tensor};

use sharing::{loss, network, shared_loss};

/// Rows per device; they need not be equal.
const SHARES: [usize; 2] = [32, 16];

fn main() -> ExitCode {
    rungrad::run(|| {
        let [here, there] = two_devices();
        let [n, m] = SHARES;
        println!("{here} takes {n} rows, {there} takes {m}");
        let rows: Vec<usize> = (0..n + m).collect();
        let (digits, _) = digits().split(SPLIT_SEED);
        let batch = digits.select(&rows);
        let shares = [digits.select(&rows[..n]), digits.select(&rows[n..])];

        let [mut alone, mut shared] = [network(), network()];
        alone.to(here)?;
        shared.to(here)?;
        let one = loss(&alone, &batch, here)?;
        let two = shared_loss(&shared, shares.each_ref(), [here, there])?;
        one.backward();
        two.backward();

        println!("\n{:<21} {:>10} {:>10}", "", "on one", "on two");
        let row = |name: &str, one: f32, two: f32| {
            println!("{name:<21} {one:>10.6} {two:>10.6}");
        };
        row("loss", one.to_vec()?[0], two.to_vec()?[0]);
        let pairs = alone.parameters().into_iter().zip(shared.parameters());
        for ((name, one), (_, two)) in pairs {
            let name = format!("gradient of {name}");
            row(&name, length(one)?, length(two)?);
        }
        for model in [&mut alone, &mut shared] {
            Sgd::new(0.1, 0.0).step(model.parameters_mut());
        }
        let [one, two] = [&alone, &shared].map(|it| loss(it, &batch, here));
        row("loss after a step", one?.to_vec()?[0], two?.to_vec()?[0]);
        Ok(())
    })
}

/// Returns the first two OpenCL devices, or the processor and the only OpenCL
/// device.
fn two_devices() -> [Device; 2] {
    match Device::count() {
        0 | 1 => [Device::Cpu, Device::Gpu(0)],
        _ => [Device::Gpu(0), Device::Gpu(1)],
    }
}

/// Returns the norm of a gradient: the root of the sum of its squares.
fn length(parameter: &Tensor) -> Result<f32, Error> {
    let grad = parameter.grad().expect("backward has reached it");
    Ok((&grad * &grad).sum().sqrt().to_vec()?[0])
}
