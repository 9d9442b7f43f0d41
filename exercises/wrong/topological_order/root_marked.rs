// The mark goes to the root in the place of the node that is visited. The
// first topological sort of tinygrad had this fault, for 25 minutes.

use std::collections::HashSet;

/// Lists the nodes under `root`, parents first.
pub fn order(parents: &[Vec<usize>], root: usize) -> Vec<usize> {
    let mut order = Vec::new();
    let mut visited = HashSet::from([root]);
    let mut path = vec![(root, 0)];
    while let Some((node, next)) = path.pop() {
        match parents[node].get(next) {
            Some(&parent) => {
                path.push((node, next + 1));
                if !visited.contains(&parent) {
                    visited.insert(root);
                    path.push((parent, 0));
                }
            }
            None => order.push(node),
        }
    }
    order
}
