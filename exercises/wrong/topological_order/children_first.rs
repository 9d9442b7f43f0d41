// The node goes into the order before its parents do.

use std::collections::HashSet;

/// Lists the nodes under `root`, parents first.
pub fn order(parents: &[Vec<usize>], root: usize) -> Vec<usize> {
    let mut order = Vec::new();
    let mut visited = HashSet::from([root]);
    let mut path = vec![root];
    while let Some(node) = path.pop() {
        order.push(node);
        for &parent in &parents[node] {
            if visited.insert(parent) {
                path.push(parent);
            }
        }
    }
    order
}
