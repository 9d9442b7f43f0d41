//! Three algorithms that add the values of all ranks.

use cluster::local::{Cost, Network};
use cluster::{Link, algorithms};
use rungrad::Result;

use super::ETHERNET;

// ANCHOR: all-to-all
/// Sends all values to every other rank, which adds them.
fn all_to_all(link: &mut dyn Link, values: Vec<f32>) -> Result<Vec<f32>> {
    let (rank, size) = (link.rank(), link.size());
    let mut sum = values.clone();
    for distance in 1..size {
        let to = (rank + distance) % size;
        let from = (rank + size - distance) % size;
        add_received(link, to, &values, from, &mut sum)?;
    }
    Ok(sum)
}
// ANCHOR_END: all-to-all

// ANCHOR: tree
/// In each round, a rank exchanges its sum with a partner, which doubles the
/// number of ranks in the sum. The number of ranks must be a power of two.
fn tree(link: &mut dyn Link, mut sum: Vec<f32>) -> Result<Vec<f32>> {
    let mut distance = 1;
    while distance < link.size() {
        let partner = link.rank() ^ distance;
        let sent = sum.clone();
        add_received(link, partner, &sent, partner, &mut sum)?;
        distance *= 2;
    }
    Ok(sum)
}
// ANCHOR_END: tree

/// Sends values to rank `to`, and adds those from rank `from` to `sum`.
fn add_received(
    link: &mut dyn Link,
    to: usize,
    values: &[f32],
    from: usize,
    sum: &mut [f32],
) -> Result<()> {
    let mut sum = sum.iter_mut();
    link.exchange(to, values, from, &mut |received| {
        for (received, sum) in received.iter().zip(&mut sum) {
            *sum += received;
        }
    })
}

type Algorithm = fn(&mut dyn Link, Vec<f32>) -> Result<Vec<f32>>;

/// Returns the time that the slowest rank needs.
fn time(size: usize, cost: Cost, len: usize, sum: Algorithm) -> Result<f64> {
    let network = Network::new(size).with_cost(move |_, _| cost);
    let times = network.run(|it| {
        let own = vec![it.rank() as f32; len];
        let sum = it.submit(move |link| sum(link, own)).wait()?;
        let right = (size * (size - 1) / 2) as f32;
        assert!(sum.iter().all(|value| *value == right), "not {right}");
        Ok(it.time())
    });
    times.into_iter().try_fold(0.0, |most, time| Ok(f64::max(most, time?)))
}

pub(crate) fn show() -> Result<()> {
    let algorithms: [Algorithm; 3] =
        [all_to_all, tree, algorithms::ring_all_reduce];
    println!("{:>33}{:>28}", "1 kB, milliseconds", "1 MB, milliseconds");
    let names = format!("{:>11}{:>8}{:>8}", "all-to-all", "tree", "ring");
    println!("ranks  {names} {names}");
    for size in [2, 4, 8, 16] {
        let mut row = format!("{size:>5} ");
        for len in [256, 250_000] {
            row += " ";
            for (algorithm, width) in algorithms.iter().zip([11, 8, 8]) {
                let time = 1e3 * time(size, ETHERNET, len, *algorithm)?;
                row += &format!("{time:>width$.2}");
            }
        }
        println!("{row}");
    }
    Ok(())
}
