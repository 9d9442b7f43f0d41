//! Sums and copies over any [`Link`], made of exchanges between two ranks.
//!
//! Every rank calls the same functions in the same order.

use std::mem;

use rungrad::Result;

use super::{Link, TreeSum, buffers, part, tree};

/// Adds the values of all ranks, element by element, in a ring: each rank only
/// sends to the next one. Every rank sends about twice its values, however many
/// ranks there are.
///
/// The order of the additions depends on the number of ranks, and so do the
/// bits of the result. All ranks receive the same bits.
///
/// # Errors
///
/// If a rank has ended, or sends nothing within the time limit.
// ANCHOR: ring
pub fn ring_all_reduce(
    link: &mut dyn Link,
    mut values: Vec<f32>,
) -> Result<Vec<f32>> {
    let (rank, size) = (link.rank(), link.size());
    // Slice `k` starts on rank `k + 1` and travels around the ring. Each rank
    // adds its own values, and rank `k` completes the sum.
    for step in 1..size {
        pass_slice(link, &mut values, (rank + size - step) % size, add)?;
    }
    all_gather(link, &mut values)?;
    Ok(values)
}
// ANCHOR_END: ring

/// Completes values of which each rank has one slice: rank `k` has
/// `part(values.len(), size, k)`.
///
/// # Errors
///
/// If a rank has ended, or sends nothing within the time limit.
// ANCHOR: gather
pub fn all_gather(link: &mut dyn Link, values: &mut [f32]) -> Result<()> {
    let (rank, size) = (link.rank(), link.size());
    for step in 1..size {
        let slice = (rank + size - step + 1) % size;
        pass_slice(link, values, slice, <[f32]>::copy_from_slice)?;
    }
    Ok(())
}

/// Sends slice `index` to the next rank, and combines the slice before it with
/// the values from the previous rank, while they arrive.
fn pass_slice(
    link: &mut dyn Link,
    values: &mut [f32],
    index: usize,
    combine: fn(&mut [f32], &[f32]),
) -> Result<()> {
    let (rank, size) = (link.rank(), link.size());
    let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
    let slices = [index, (index + size - 1) % size];
    let slices = slices.map(|index| part(values.len(), size, index));
    let [sent, mut rest] =
        values.get_disjoint_mut(slices).expect("two different slices");
    link.exchange(next, sent, previous, &mut |received| {
        let (own, after) = mem::take(&mut rest).split_at_mut(received.len());
        rest = after;
        combine(own, received);
    })
}
// ANCHOR_END: gather

/// Adds the values of all shards, element by element, in the order of
/// [`TreeSum`]. Rank `k` has the shards `part(shards, size, k)`, and passes
/// `TreeSum::blocks` of their sum, each of `len` elements.
///
/// The bits of the result depend on the number of shards, but not on the number
/// of ranks. If every rank has a single block, each rank sends the same number of
/// bytes as in [`ring_all_reduce`].
///
/// # Errors
///
/// If a rank has ended, or sends nothing within the time limit.
// ANCHOR: fixed
pub fn fixed_all_reduce(
    link: &mut dyn Link,
    shards: usize,
    len: usize,
    blocks: &[Vec<f32>],
) -> Result<Vec<f32>> {
    let (rank, size) = (link.rank(), link.size());
    // Rank `k` adds slice `k`, of which it receives the blocks of every rank.
    let sent = |to| {
        let slice = part(len, size, to);
        let parts = blocks.iter().map(|block| &block[slice.clone()]);
        parts.collect::<Vec<_>>().concat()
    };
    let mut received = vec![Vec::new(); size];
    received[rank] = sent(rank);
    for distance in 1..size {
        let to = (rank + distance) % size;
        let from = (rank + size - distance) % size;
        let append = &mut |piece: &[f32]| received[from].extend(piece);
        link.exchange(to, &sent(to), from, append)?;
    }
    let own = part(len, size, rank);
    let mut sum = TreeSum::new();
    for (sender, received) in received.iter().enumerate() {
        let ranges = tree::blocks(part(shards, size, sender));
        for (index, range) in ranges.into_iter().enumerate() {
            let start = index * own.len();
            let block = received[start..start + own.len()].to_vec();
            sum.push(range, block, added);
        }
    }
    let mut values = buffers::take(len);
    values.resize(len, 0.0);
    if let Some(sum) = sum.finish(added) {
        values[own].copy_from_slice(&sum);
    }
    all_gather(link, &mut values)?;
    Ok(values)
}
// ANCHOR_END: fixed

/// Copies the values of rank `root` to all ranks. After each round, twice as
/// many ranks have them.
///
/// # Errors
///
/// If a rank has ended, or sends nothing within the time limit.
pub fn broadcast(
    link: &mut dyn Link,
    root: usize,
    values: Vec<f32>,
) -> Result<Vec<f32>> {
    let (rank, size) = (link.rank(), link.size());
    let mut known = if rank == root { values } else { Vec::new() };
    let mut distance = 1;
    while distance < size {
        let to = (rank + distance) % size;
        let from = (rank + size - distance) % size;
        let mut received = Vec::new();
        let append = &mut |piece: &[f32]| received.extend(piece);
        link.exchange(to, &known, from, append)?;
        if known.is_empty() {
            known = received;
        }
        distance *= 2;
    }
    Ok(known)
}

/// Waits until every rank has called this function. After the round with
/// distance `d`, a rank has heard, directly or through others, from the `2 d - 1`
/// ranks before it, so a broadcast of nothing is a barrier.
///
/// # Errors
///
/// If a rank has ended, or sends nothing within the time limit.
pub fn barrier(link: &mut dyn Link) -> Result<()> {
    broadcast(link, 0, Vec::new()).map(drop)
}

/// Adds `other` to `sum`, element by element.
fn add(sum: &mut [f32], other: &[f32]) {
    for (sum, other) in sum.iter_mut().zip(other) {
        *sum += other;
    }
}

/// Returns the sum of two blocks of equal length.
pub(super) fn added(mut left: Vec<f32>, right: Vec<f32>) -> Vec<f32> {
    add(&mut left, &right);
    left
}
