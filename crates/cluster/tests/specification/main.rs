//! One specification for every kind of network: threads, a simulated network,
//! and processes connected by MPI (`mpi.rs`).

mod cases;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use cluster::local::{Cost, Network};
use cluster::{Collective, TreeSum, part, tree};

use cases::{CASES, LEN};

/// How long a rank waits for a lost one.
const LIMIT: Duration = Duration::from_secs(2);

/// Runs a test on each kind of network.
fn on_each(size: usize, test: impl Fn(&Collective) + Sync) {
    let slow = Cost { latency: 1e-3, bandwidth: 1e6 };
    for network in
        [Network::new(size), Network::new(size).with_cost(move |_, _| slow)]
    {
        network.with_limit(LIMIT).run(|collective| test(&collective));
    }
}

/// Promise: On every network, sums and broadcasts have the right values, with
/// the same bits on every rank and in every run, also with many of them in
/// flight and with ranks that arrive late. A sum over shards has the same bits
/// for any number of ranks.
#[test]
fn networks_of_threads_keep_the_specification() {
    for size in [1, 2, 3, 4, 5, 8, 16] {
        for case in CASES {
            on_each(size, case);
        }
    }
}

/// The cases compare sums with [`TreeSum`], and this test compares [`TreeSum`]
/// with the definition of the tree.
///
/// Promise: The order of a fixed sum is a binary tree over the shards.
#[test]
fn the_blocks_of_all_ranks_form_one_tree() {
    let add = |left: String, right: String| format!("({left}+{right})");
    for size in 1..=9 {
        let mut whole = TreeSum::new();
        for rank in 0..size {
            let mut own = TreeSum::new();
            for shard in part(8, size, rank) {
                own.push(shard..shard + 1, shard.to_string(), add);
            }
            let ranges = tree::blocks(part(8, size, rank));
            for (range, sum) in ranges.into_iter().zip(own.blocks()) {
                whole.push(range, sum.clone(), add);
            }
        }
        let right = "(((0+1)+(2+3))+((4+5)+(6+7)))";
        assert_eq!(whole.finish(add).unwrap(), right, "{size} ranks");
    }
}

/// Promise: No rank leaves a barrier before every rank has reached it.
#[test]
fn a_barrier_waits_for_every_rank() {
    for late in [0, 4] {
        let arrived = AtomicUsize::new(0);
        on_each(5, |it| {
            if it.rank() == late {
                sleep(Duration::from_millis(50));
            }
            arrived.fetch_add(1, Ordering::SeqCst);
            it.barrier().unwrap();
            assert_eq!(arrived.load(Ordering::SeqCst) % 5, 0);
            it.barrier().unwrap();
        });
    }
}

/// Promise: If a rank ends early, every other rank gets an error that names it.
#[test]
fn a_rank_that_ends_is_an_error_on_every_rank() {
    let start = Instant::now();
    for lost in [0, 2, 4] {
        on_each(5, |it| {
            it.all_reduce(vec![1.0; LEN]).wait().unwrap();
            if it.rank() == lost {
                return;
            }
            let sum = it.all_reduce(vec![1.0; LEN]);
            let next = it.broadcast(0, vec![1.0]);
            let error = sum.wait().unwrap_err().to_string();
            let name = format!("rank {lost} ended before the others");
            assert!(error.starts_with(&name), "{error}");
            assert_eq!(next.wait().unwrap_err().to_string(), error);
        });
    }
    assert!(start.elapsed() < LIMIT, "the end of a rank is noticed at once");
}

/// Promise: A rank that never answers is an error on every other rank after the
/// time limit.
#[test]
fn a_rank_that_hangs_is_an_error_after_the_limit() {
    let limit = Duration::from_millis(100);
    Network::new(3).with_limit(limit).run(|it| {
        if it.rank() == 1 {
            sleep(8 * limit);
            return;
        }
        let error = it.barrier().unwrap_err().to_string();
        assert!(error.starts_with("rank "), "{error}");
    });
}

/// Promise: A simulated network computes times from its latencies and bandwidths,
/// and they are the same in every run.
#[test]
fn a_simulated_network_has_a_clock() {
    let (size, len) = (4, 1000);
    let cost = Cost { latency: 1e-3, bandwidth: 1e6 };
    let network = || Network::new(size).with_cost(move |_, _| cost);
    let step = cost.latency + 4.0 * (len / size) as f64 / cost.bandwidth;
    let near = |time: f64, right: f64| {
        assert!((time - right).abs() < 1e-9, "{time} s, not {right} s");
    };
    network().run(|it| {
        // A ring has twice `size - 1` steps.
        it.all_reduce(vec![0.0; len]).wait().unwrap();
        near(it.time(), 6.0 * step);
    });
    network().run(|it| {
        // The sum and the computation run at the same time, so the longer
        // one decides.
        let sum = it.all_reduce(vec![0.0; len]);
        it.compute(2.0 * step);
        sum.wait().unwrap();
        near(it.time(), 6.0 * step);
        let sum = it.all_reduce(vec![0.0; len]);
        it.compute(8.0 * step);
        sum.wait().unwrap();
        near(it.time(), 14.0 * step);
    });
    network().run(|it| {
        // The last rank waits for no message, and rank 2 hears of it in the
        // second round.
        it.compute(it.rank() as f64);
        it.barrier().unwrap();
        let rounds = [1.0, 1.0, 2.0, 0.0][it.rank()];
        near(it.time(), 3.0 + rounds * cost.latency);
    });
}

/// Promise: A thousand ranks can be simulated.
#[test]
fn a_thousand_ranks_can_be_simulated() {
    let latency = |from: usize, to: usize| {
        // Eight ranks share a machine.
        if from / 8 == to / 8 { 1e-6 } else { 1e-5 }
    };
    let network = Network::new(1000).with_cost(move |from, to| Cost {
        latency: latency(from, to),
        bandwidth: 1e9,
    });
    let times = network.run(|it| {
        assert_eq!(
            it.broadcast(3, vec![it.rank() as f32]).wait(),
            Ok(vec![3.0])
        );
        it.barrier().unwrap();
        it.time()
    });
    // A barrier has ten rounds, and the longest chain of messages in each of
    // the two operations leaves the machine every time.
    let slowest = times.iter().copied().fold(0.0, f64::max);
    assert!((1.5e-4..2.5e-4).contains(&slowest), "{slowest}");
}
