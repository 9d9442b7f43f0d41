// tied_weights: a weight that is used twice.
//
// WHAT   `Reducer` adds the gradients of all ranks while the backward pass
//        runs. It gives right results as long as every weight is used once.
//        If two layers share a weight, its gradient has two parts, and the
//        result is wrong. Fix `part`: the ranks add each gradient exactly
//        once, as soon as it is complete.
// WHY    Language models share the weight of their first and last layer, and a
//        recurrent network uses each weight in every step. The loss falls
//        even if a part is missing, so this bug is easy to overlook.
// MIND   `all_reduce` starts an addition and returns at once. An addition
//        that starts later ends later, so do not wait longer than necessary.
// READ   Gradients that travel
// CHECK  cargo learn check tied_weights

use std::collections::BTreeMap;
use std::mem;

use super::{Pending, Ranks};

/// Adds the gradients of all ranks.
pub struct Reducer {
    ranks: Ranks,
    /// The leaves that are used, by their ids.
    leaves: BTreeMap<u64, Leaf>,
    /// The sums that have been started.
    started: Vec<(u64, Pending)>,
}

/// What is known about a leaf.
#[derive(Default)]
struct Leaf {
    /// How often the forward pass has used it.
    uses: usize,
    /// The number of parts that the backward pass has computed.
    parts: usize,
    /// The sum of these parts.
    sum: Vec<f32>,
}

impl Reducer {
    pub fn new(ranks: Ranks) -> Reducer {
        Reducer { ranks, leaves: BTreeMap::new(), started: Vec::new() }
    }

    /// The forward pass has used a leaf once more.
    pub fn used(&mut self, leaf: u64) {
        self.leaves.entry(leaf).or_default().uses += 1;
    }

    /// The backward pass has computed the part of a leaf's gradient that comes
    /// from one use. All uses have been reported before.
    pub fn part(&mut self, leaf: u64, grad: &[f32]) {
        // HOLE
        //| // Remove the next line when the sums are right.
        //| todo!("TODO(tied_weights): when is the gradient complete?");
        //| let pending = self.ranks.all_reduce(grad.to_vec());
        //| self.started.push((leaf, pending));
        let it = self.leaves.entry(leaf).or_default();
        it.sum.resize(grad.len(), 0.0);
        it.sum.iter_mut().zip(grad).for_each(|(sum, part)| *sum += part);
        it.parts += 1;
        if it.parts == it.uses {
            let pending = self.ranks.all_reduce(mem::take(&mut it.sum));
            self.started.push((leaf, pending));
        }
        // END HOLE
    }

    /// Waits for all sums, and returns them by the ids of the leaves.
    pub fn finish(self) -> BTreeMap<u64, Vec<f32>> {
        let started = self.started.into_iter();
        started.map(|(leaf, pending)| (leaf, pending.wait())).collect()
    }
}
