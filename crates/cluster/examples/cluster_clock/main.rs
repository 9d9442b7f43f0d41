//! Measures gradients that travel between ranks, on the clock of a simulated
//! network, so the numbers are the same in every run.

mod bits;
mod order;
mod picture;
mod ranks;
mod scaling;
mod state;
mod steps;
mod sums;
mod timeline;

use std::process::ExitCode;

use cluster::local::Cost;
use rungrad::Error;

const HELP: &str = "\
usage: cargo run -p cluster --example cluster_clock -- [part]

  steps    a step of four ranks that add their gradients in several ways (if no
           part is given)
  order    the timeline of a step whose buckets start in the wrong order
  sums     three algorithms that add the values of all ranks
  bits     the digits of a sum, for several numbers of ranks
  scaling  the speedup of a step, for several numbers of ranks
  state    the memory of each rank if the optimizer is divided";

/// Two machines connected by Ethernet with 10 Gbit/s, in round numbers.
const ETHERNET: Cost = Cost { latency: 50e-6, bandwidth: 1e9 };

/// Two devices that are connected inside one machine, in round numbers.
const INSIDE: Cost = Cost { latency: 5e-6, bandwidth: 100e9 };

fn main() -> ExitCode {
    rungrad::run_with_help(HELP, || match &rungrad::args()[..] {
        [] => steps::show(),
        [part] if part == "steps" => steps::show(),
        [part] if part == "order" => order::show(),
        [part] if part == "sums" => sums::show(),
        [part] if part == "bits" => bits::show(),
        [part] if part == "scaling" => scaling::show(),
        [part] if part == "state" => state::show(),
        words => Err(Error::Usage(format!(
            "cluster_clock has no part `{}`; `--help` lists its parts",
            words.join(" ")
        ))),
    })
}
