//! The digits of sums, for several numbers of ranks.

use cluster::{Collective, DataParallel, Order, TreeSum, local, part};
use rungrad::Result;
use rungrad::nn::Parameters;
use rungrad::optim::{Adam, Optimizer};

use super::ETHERNET;
use super::ranks::{ROWS, Rank, run};

const SHARDS: usize = 8;

/// The number of elements of a gradient.
const LEN: usize = 8;

/// Returns the gradient of a shard.
fn gradient(shard: usize) -> Vec<f32> {
    let element = |k| 1.0 / (1 + SHARDS * k + shard) as f32;
    (0..LEN).map(element).collect()
}

fn added(left: Vec<f32>, right: Vec<f32>) -> Vec<f32> {
    left.iter().zip(right).map(|(left, right)| left + right).collect()
}

// ANCHOR: bits
/// Adds the gradients of all shards, in an order that depends on the number of
/// ranks, and in the order of a tree over the shards.
fn both(rank: &Collective) -> Result<[Vec<f32>; 2]> {
    let own = part(SHARDS, rank.size(), rank.rank());
    let sum = own.clone().map(gradient).reduce(added);
    let by_ranks = rank.all_reduce(sum.expect("a shard")).wait()?;
    let mut tree = TreeSum::new();
    for shard in own {
        tree.push(shard..shard + 1, gradient(shard), added);
    }
    let blocks = tree.blocks().cloned().collect();
    let by_shards = rank.fixed_all_reduce(SHARDS, LEN, blocks).wait()?;
    Ok([by_ranks, by_shards])
}
// ANCHOR_END: bits

/// Trains for five steps, and returns the bits of the losses and parameters.
fn train(rank: &mut Rank, order: Order) -> Result<Vec<u32>> {
    let mut adam = Adam::new(1e-3);
    let mut values = Vec::new();
    for _ in 0..5 {
        let collective = rank.collective.clone();
        let parallel = DataParallel::new(&collective, order);
        let loss = |rows| rank.loss(rows);
        let reduction = parallel.backward(&rank.model, &[1.0; ROWS], loss)?;
        values.push(reduction.wait()?);
        adam.step(rank.model.parameters_mut());
    }
    for (_, parameter) in rank.model.parameters() {
        values.extend(parameter.to_vec()?);
    }
    Ok(values.into_iter().map(f32::to_bits).collect())
}

pub(crate) fn show() -> Result<()> {
    println!("ranks  a ring over ranks  a tree over shards");
    for size in [1, 2, 3, 4, 8] {
        let sums = local::run(size, |rank| both(&rank)).remove(0)?;
        let [ring, tree] = sums.map(|sum| sum[0]);
        println!("{size:>5}{ring:>19.9}{tree:>20.9}");
    }
    println!();
    println!("bits after five steps   2 ranks    4 ranks    8 ranks");
    let train = |size, order| {
        let network = (size, ETHERNET, ROWS);
        run(network, |rank| train(rank, order)).map(|(bits, ..)| bits)
    };
    let orders = [Order::Fastest, Order::Fixed { shards: SHARDS }];
    for order in orders {
        let right = train(1, order)?;
        let mut line = format!("{:<20}", format!("{order:?}"));
        for size in [2, 4, 8] {
            let verdict = match train(size, order)? == right {
                true => "the same",
                false => "different",
            };
            line += &format!("{verdict:>11}");
        }
        println!("{line}");
    }
    Ok(())
}
