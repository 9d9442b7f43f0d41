//! Checks `crossover`, the size above which a device is faster.

use std::process::ExitCode;

use exercises::{Outcome, check, drawn, wrong};

exercises::yours!("part2_gpu/crossover.rs");

fn main() -> ExitCode {
    check(
        "crossover",
        YOURS,
        &[
            ("the device is faster above some size", crosses),
            ("an equal time is not faster", equal),
            ("a device that is slower per element is never faster", never),
        ],
    )
}

/// The required speedup of the device.
fn times() -> f64 {
    f64::from(drawn("times").unwrap_or(1.0))
}

/// A device with a fixed cost per launch and a rate, measured at two sizes.
struct Case {
    host: f64,
    price: f64,
    rate: f64,
    sizes: [f64; 2],
}

impl Case {
    fn time(&self, n: f64) -> f64 {
        self.price + self.rate * n
    }

    /// Returns the smallest size at which the device is faster, by linear
    /// search.
    fn right(&self) -> Option<usize> {
        let host = self.host / times();
        (1..100_000).find(|&n| self.time(n as f64) < host * n as f64)
    }

    fn judged(&self) -> Outcome {
        let [small, large] = self.sizes.map(|n| (n, self.time(n)));
        let yours = yours::crossover(self.host, small, large);
        let right = self.right();
        if yours == right {
            return Ok(());
        }
        let Case { host, price, rate, .. } = *self;
        let why = match (yours, right) {
            (Some(_), None) => {
                "The device takes longer per element than the host, so it is \
                 never faster."
            }
            (Some(n), Some(right)) if n + 1 == right => {
                "At that size the device is not faster yet."
            }
            (Some(n), Some(right)) if n < right => {
                "At that size the fixed cost still outweighs the gain."
            }
            (Some(_), Some(_)) => {
                "The device is already faster at a smaller size."
            }
            (None, _) => "There is a size above which the device is faster.",
        };
        let shown = |n: Option<usize>| match n {
            Some(n) => {
                let x = n as f64;
                let (host, device) = (host * x, self.time(x));
                format!("{n}: host {host:.3} µs, device {device:.3} µs")
            }
            None => "none".to_string(),
        };
        Err(wrong(format!(
            "The host takes {host} µs per element, the device {price} µs per \
             launch and {rate} µs per element. {why}\n\n  yours  {}\n  right  \
             {}",
            shown(yours),
            shown(right)
        )))
    }
}

fn crosses(_: &()) -> Outcome {
    let sizes = [64.0, 4096.0];
    Case { host: 0.25, price: 19.0, rate: 0.0625, sizes }.judged()?;
    Case { host: 1.0, price: 0.375, rate: 0.125, sizes }.judged()?;
    Case { host: 0.5, price: 300.0, rate: 0.375, sizes }.judged()
}

fn equal(_: &()) -> Outcome {
    let sizes = [1000.0, 3000.0];
    Case { host: 0.5, price: 16.0, rate: 0.25, sizes }.judged()
}

fn never(_: &()) -> Outcome {
    let sizes = [16.0, 1600.0];
    Case { host: 0.25, price: 8.0, rate: 0.5, sizes }.judged()?;
    Case { host: 0.25, price: 8.0, rate: 0.25, sizes }.judged()
}
