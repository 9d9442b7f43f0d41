// The nodes by their distance from the root, turned around. A parent that the
// root uses too is as near as the child that needs it first.

use std::collections::{HashSet, VecDeque};

/// Lists the nodes under `root`, parents first.
pub fn order(parents: &[Vec<usize>], root: usize) -> Vec<usize> {
    let mut order = Vec::new();
    let mut visited = HashSet::from([root]);
    let mut queue = VecDeque::from([root]);
    while let Some(node) = queue.pop_front() {
        order.push(node);
        for &parent in &parents[node] {
            if visited.insert(parent) {
                queue.push_back(parent);
            }
        }
    }
    order.reverse();
    order
}
