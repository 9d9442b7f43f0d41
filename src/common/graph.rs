//! Topological order of a graph: every tensor comes after its parents. Built
//! in "Who owns the graph".
//!
//! The function needs only ids and parents, so all three parts use it. It is
//! iterative because a recursive walk would overflow the stack on a chain of a
//! million tensors.

use std::collections::HashSet;
use std::hash::{BuildHasherDefault, Hasher};

// ANCHOR: topological-order
/// Lists the nodes reachable from `root` in topological order: each node once,
/// after its parents. Parents are visited in operand order, so the result is
/// deterministic. `parent(node, k)` returns the k-th parent, counted from 0.
pub fn topological_order<'a, N>(
    root: &'a N,
    id: impl Fn(&N) -> u64,
    parent: impl Fn(&'a N, usize) -> Option<&'a N>,
) -> Vec<&'a N> {
    let mut order = Vec::new();
    let mut visited: HashSet<u64, BuildHasherDefault<IdHasher>> =
        HashSet::from_iter([id(root)]);
    // The nodes whose parents are not all in `order` yet, each with the index
    // of the next parent to visit.
    let mut path = vec![(root, 0)];
    while let Some((node, next)) = path.last_mut() {
        match parent(*node, *next) {
            Some(parent) => {
                *next += 1;
                if visited.insert(id(parent)) {
                    path.push((parent, 0));
                }
            }
            None => {
                order.push(*node);
                path.pop();
            }
        }
    }
    order
}
// ANCHOR_END: topological-order

/// A multiplicative hasher for ids. Ids come from a counter, not from input,
/// so the default hasher, which is slower and resists collision attacks, is
/// unnecessary.
#[derive(Default)]
struct IdHasher(u64);

impl Hasher for IdHasher {
    fn write(&mut self, bytes: &[u8]) {
        unreachable!("an id is a number, not {bytes:?}")
    }

    fn write_u64(&mut self, id: u64) {
        // 2^64 divided by the golden ratio.
        self.0 = id.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Node(u64, Vec<Node>);

    fn ids(root: &Node) -> Vec<u64> {
        let order = topological_order(root, |n| n.0, |n, k| n.1.get(k));
        order.iter().map(|n| n.0).collect()
    }

    /// Promise: The parents of a node keep the order of its operands.
    #[test]
    fn parents_keep_the_operand_order() {
        let leaf = |id| Node(id, vec![]);
        assert_eq!(ids(&Node(6, vec![leaf(2), leaf(3)])), [2, 3, 6]);
        assert_eq!(ids(&Node(6, vec![leaf(3), leaf(2)])), [3, 2, 6]);
    }

    /// Promise: A node that is reached along two paths appears once in the
    /// topological order.
    #[test]
    fn a_node_on_two_paths_appears_once() {
        let leaf = || Node(1, vec![]);
        let left = Node(2, vec![leaf()]);
        let right = Node(3, vec![leaf()]);
        assert_eq!(ids(&Node(4, vec![left, right])), [1, 2, 3, 4]);
    }
}
