//! One specification for every kind of network: threads, a simulated network,
//! and processes connected by MPI.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use cluster::local::{Cost, Network};
use cluster::{Collective, TreeSum, part, tree};
use rungrad::Result;
use rungrad::rng::Random;

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

/// Returns values of a rank or shard, whose sum depends on the order of the
/// additions.
fn values_of(index: usize, len: usize) -> Vec<f32> {
    let mut random = Random::new(index as u64);
    (0..len).map(|_| random.normal()).collect()
}

/// Returns the blocks of a rank's shards.
fn blocks_of(rank: usize, size: usize, shards: usize) -> Vec<Vec<f32>> {
    let mut sum = TreeSum::new();
    for shard in part(shards, size, rank) {
        sum.push(shard..shard + 1, values_of(shard, LEN), added);
    }
    sum.blocks().cloned().collect()
}

fn added(left: Vec<f32>, right: Vec<f32>) -> Vec<f32> {
    left.iter().zip(right).map(|(left, right)| left + right).collect()
}

/// Longer than most numbers of ranks, and a multiple of none.
const LEN: usize = 37;

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// Promise: A sum over ranks is the sum of their values, for any number of
/// ranks and elements, and has the same bits on every rank and in every run.
#[test]
fn a_sum_is_right_and_the_same_on_every_rank() {
    for (size, len) in [(1, 5), (2, 1), (3, 0), (4, LEN), (7, 3), (8, 1000)] {
        let run = || {
            let network = Network::new(size).with_limit(LIMIT);
            network.run(|it| it.all_reduce(values_of(it.rank(), len)).wait())
        };
        let sums: Vec<Vec<f32>> =
            run().into_iter().map(Result::unwrap).collect();
        for (index, sum) in sums[0].iter().enumerate() {
            let right: f64 =
                (0..size).map(|it| f64::from(values_of(it, len)[index])).sum();
            assert!((f64::from(*sum) - right).abs() < 1e-5, "{sum} {right}");
        }
        assert_eq!(sums[0].len(), len);
        for sum in run().into_iter().map(Result::unwrap).chain(sums.clone()) {
            assert_eq!(bits(&sum), bits(&sums[0]), "{size} ranks");
        }
    }
}

/// Promise: A sum over shards has the same bits for any number of ranks, and
/// adds the shards in the order of a binary tree.
#[test]
fn a_sum_over_shards_does_not_depend_on_the_number_of_ranks() {
    for shards in [1, 6, 8, 13] {
        let values = |shard| (shard..shard + 1, values_of(shard, LEN));
        let mut right = TreeSum::new();
        for (range, values) in (0..shards).map(values) {
            right.push(range, values, added);
        }
        let right = bits(&right.finish(added).unwrap());
        for size in [1, 2, 3, 4, 5, 8, 16] {
            on_each(size, |it| {
                let blocks = blocks_of(it.rank(), size, shards);
                let sum = it.fixed_all_reduce(shards, LEN, blocks).wait();
                assert_eq!(bits(&sum.unwrap()), right, "{size} ranks");
            });
        }
    }
}

/// The test above compares sums with [`TreeSum`], and this one compares
/// [`TreeSum`] with the definition of the tree.
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

/// Promise: Every rank receives the values that one rank broadcasts.
#[test]
fn a_broadcast_reaches_every_rank() {
    for (size, root) in [(1, 0), (2, 1), (5, 3), (8, 7)] {
        on_each(size, |it| {
            let own = values_of(it.rank(), LEN);
            let received = it.broadcast(root, own).wait().unwrap();
            assert_eq!(received, values_of(root, LEN), "{size} ranks");
        });
    }
}

/// Promise: Many operations can be in flight, and each has its own result.
#[test]
fn many_operations_are_in_flight() {
    on_each(4, |it| {
        let start = |k: usize| match k % 3 {
            0 => it.all_reduce(vec![k as f32; k % 7]),
            1 => it.broadcast(k % 4, vec![(k + it.rank()) as f32; 2]),
            _ => it.fixed_all_reduce(4, 1, vec![vec![k as f32]]),
        };
        let started: Vec<_> = (0..100).map(start).collect();
        // The results can be read in any order.
        for (k, pending) in started.into_iter().enumerate().rev() {
            let right = match k % 3 {
                0 => vec![4.0 * k as f32; k % 7],
                1 => vec![(k + k % 4) as f32; 2],
                _ => vec![4.0 * k as f32],
            };
            assert_eq!(pending.wait().unwrap(), right, "operation {k}");
        }
    });
}

/// Promise: A rank that arrives late delays the others and changes no result.
#[test]
fn a_late_rank_changes_no_result() {
    for late in 0..3 {
        on_each(3, |it| {
            if it.rank() == late {
                sleep(Duration::from_millis(50));
            }
            let sum = it.all_reduce(vec![it.rank() as f32; LEN]);
            assert_eq!(sum.wait().unwrap(), [3.0; LEN]);
        });
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
