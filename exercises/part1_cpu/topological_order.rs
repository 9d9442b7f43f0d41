// topological_order: every node after its parents.
//
// WHAT   A graph is given as numbers: `parents[n]` are the parents of node n.
//        List the nodes that `root` is made of, and `root` itself: each node
//        once, and after all its parents.
// WHY    Walked from its end, this order meets a node only after everything
//        that uses it. Backward is that walk. It is written with a loop,
//        because a call for each link of a chain of a million overflows the
//        stack.
// READ   A tensor that remembers
// CHECK  cargo learn check topological_order

use std::collections::HashSet;

/// Lists the nodes under `root`, parents first.
pub fn order(parents: &[Vec<usize>], root: usize) -> Vec<usize> {
    let mut order = Vec::new();
    let mut visited = HashSet::from([root]);
    // A node waits on the path, beside the number of its next parent, until
    // all its parents are in the order.
    let mut path = vec![(root, 0)];
    while let Some((node, next)) = path.pop() {
        // Is there a parent number `next`? Then the node goes back on the
        // path, to wait for the one after it, and a parent that nobody has
        // visited goes on top. If there is none, the node's turn has come.
        todo!("TODO(topological_order): the path and the order")
    }
    order
}
