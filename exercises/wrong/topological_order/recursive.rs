// A call for each link, as the notebook does it: right, until a chain is long.

use std::collections::HashSet;

/// Lists the nodes under `root`, parents first.
pub fn order(parents: &[Vec<usize>], root: usize) -> Vec<usize> {
    fn visit(
        parents: &[Vec<usize>],
        node: usize,
        visited: &mut HashSet<usize>,
        order: &mut Vec<usize>,
    ) {
        if visited.insert(node) {
            for &parent in &parents[node] {
                visit(parents, parent, visited, order);
            }
            order.push(node);
        }
    }
    let mut order = Vec::new();
    visit(parents, root, &mut HashSet::new(), &mut order);
    order
}
