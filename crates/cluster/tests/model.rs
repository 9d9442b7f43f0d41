//! The model of the time of a step.

use cluster::local::{Cost, Network};
use cluster::model::{Measurement, Step, fit};

const COST: Cost = Cost { latency: 2e-5, bandwidth: 3e8 };

/// Returns the times of all-reduces on a simulated network.
fn measured() -> Vec<Measurement> {
    let mut measurements = Vec::new();
    for ranks in [2, 4] {
        for len in [400, 40_000] {
            let network = Network::new(ranks).with_cost(|_, _| COST);
            let times = network.run(|it| {
                it.all_reduce(vec![0.0; len]).wait().unwrap();
                it.time()
            });
            let bytes = (4 * len) as f64;
            measurements.push(Measurement { ranks, bytes, seconds: times[0] });
        }
    }
    measurements
}

/// Promise: The model finds the latency and the bandwidth of a network from
/// measured times, also if these are too long by some percent.
#[test]
fn the_fit_finds_the_costs_of_a_network() {
    let mut measurements = measured();
    let near = |value: f64, right: f64, tolerance: f64| {
        let error = (value / right - 1.0).abs();
        assert!(error < tolerance, "{value}, not {right}");
    };
    let cost = fit(&measurements);
    near(cost.latency, COST.latency, 1e-9);
    near(cost.bandwidth, COST.bandwidth, 1e-9);
    for measurement in &measurements {
        near(measurement.predicted(COST), measurement.seconds, 1e-9);
    }
    measurements[0].seconds *= 1.1;
    let cost = fit(&measurements);
    near(cost.latency, COST.latency, 0.1);
    near(cost.bandwidth, COST.bandwidth, 0.1);
}

/// The reductions of all buckets but the last overlap the backward pass if they
/// are short, and follow each other if they are long.
///
/// Promise: The model of a step has the overlap of its reductions with the
/// backward pass.
#[test]
fn a_step_overlaps_its_reductions() {
    let (ranks, bytes, buckets) = (4, 8e6, 5);
    let bucket = Measurement { ranks, bytes: bytes / 5.0, seconds: 0.0 };
    let bucket = bucket.predicted(COST);
    let step = |backward| Step { forward: 1.0, backward, buckets, bytes };
    let long = 50.0 * bucket;
    for (ranks, backward, right) in [
        (ranks, long, 1.0 + long + bucket),
        (ranks, 0.0, 1.0 + 5.0 * bucket),
        (1, long, 1.0 + long),
    ] {
        let time = step(backward).simulate(ranks, COST);
        assert!((time - right).abs() < 1e-9, "{time} s, not {right} s");
    }
}

#[test]
#[should_panic(expected = "measure all-reduces of at least two sizes")]
fn one_size_is_not_enough() {
    let measurement = Measurement { ranks: 2, bytes: 1e3, seconds: 1.0 };
    fit(&[measurement; 3]);
}
