//! The tests that run on every kind of network, with any number of ranks.

use std::thread::sleep;
use std::time::Duration;

use cluster::{Collective, TreeSum, part};
use rungrad::rng::Random;

/// The tests of the specification that need only a [`Collective`].
pub(crate) const CASES: [fn(&Collective); 5] = [
    a_sum_is_right_and_the_same_on_every_rank,
    a_sum_over_shards_does_not_depend_on_the_number_of_ranks,
    a_broadcast_reaches_every_rank,
    many_operations_are_in_flight,
    a_late_rank_changes_no_result,
];

/// A number of elements that is larger than most numbers of ranks, and a
/// multiple of none.
pub(crate) const LEN: usize = 37;

/// Returns values of a rank or shard, whose sum depends on the order of the
/// additions.
fn values_of(index: usize, len: usize) -> Vec<f32> {
    let mut random = Random::new(index as u64);
    (0..len).map(|_| random.uniform() - 0.5).collect()
}

fn added(left: Vec<f32>, right: Vec<f32>) -> Vec<f32> {
    left.iter().zip(right).map(|(left, right)| left + right).collect()
}

fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| value.to_bits()).collect()
}

fn a_sum_is_right_and_the_same_on_every_rank(it: &Collective) {
    // MPI sends long messages in a different way than short ones.
    for len in [0, 1, LEN, 10_000] {
        let ranks: Vec<_> = (0..it.size()).map(|k| values_of(k, len)).collect();
        let sum = || it.all_reduce(ranks[it.rank()].clone()).wait().unwrap();
        let values = sum();
        assert_eq!(values.len(), len);
        for (index, value) in values.iter().enumerate() {
            let right: f64 = ranks.iter().map(|it| f64::from(it[index])).sum();
            let error = f64::from(*value) - right;
            assert!(error.abs() < 1e-5, "{value}, not {right}");
        }
        let others = it.broadcast(0, values.clone()).wait().unwrap();
        assert_eq!(bits(&values), bits(&others), "as on rank 0");
        assert_eq!(bits(&values), bits(&sum()), "as in the first run");
    }
}

fn a_sum_over_shards_does_not_depend_on_the_number_of_ranks(it: &Collective) {
    let sum_of = |shards| {
        let mut sum = TreeSum::new();
        for shard in shards {
            sum.push(shard..shard + 1, values_of(shard, LEN), added);
        }
        sum
    };
    for shards in [1, 6, 8, 13] {
        let own = sum_of(part(shards, it.size(), it.rank()));
        let blocks = own.blocks().cloned().collect();
        let sum = it.fixed_all_reduce(shards, LEN, blocks).wait().unwrap();
        let right = sum_of(0..shards).finish(added).unwrap();
        assert_eq!(bits(&sum), bits(&right), "{shards} shards");
    }
}

fn a_broadcast_reaches_every_rank(it: &Collective) {
    for root in 0..it.size() {
        let own = values_of(it.rank(), LEN);
        let received = it.broadcast(root, own).wait().unwrap();
        assert_eq!(received, values_of(root, LEN), "from rank {root}");
    }
}

fn many_operations_are_in_flight(it: &Collective) {
    let size = it.size();
    let start = |k: usize| match k % 3 {
        0 => it.all_reduce(vec![k as f32; k % 7]),
        1 => it.broadcast(k % size, vec![(k + it.rank()) as f32; 2]),
        _ => it.fixed_all_reduce(size, 1, vec![vec![k as f32]]),
    };
    let started: Vec<_> = (0..100).map(start).collect();
    // The results can be read in any order.
    for (k, pending) in started.into_iter().enumerate().rev() {
        let right = match k % 3 {
            0 => vec![(size * k) as f32; k % 7],
            1 => vec![(k + k % size) as f32; 2],
            _ => vec![(size * k) as f32],
        };
        assert_eq!(pending.wait().unwrap(), right, "operation {k}");
    }
}

fn a_late_rank_changes_no_result(it: &Collective) {
    for late in 0..it.size() {
        if it.rank() == late {
            sleep(Duration::from_millis(20));
        }
        let sum = it.all_reduce(vec![1.0; LEN]).wait().unwrap();
        assert_eq!(sum, [it.size() as f32; LEN]);
        it.barrier().unwrap();
    }
}
