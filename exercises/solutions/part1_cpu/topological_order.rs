// topological_order: every node after its parents.
//
// WHAT   A graph is given as indices: `parents[n]` are the parents of node n.
//        List the nodes that `root` depends on, and `root` itself: each node
//        once, and after all its parents.
// WHY    Read from its end, this order reaches a node only after everything
//        that uses it, which is what backward needs. Use a loop: with a
//        recursive call per link, a chain of a million overflows the stack.
// READ   Who owns the graph
// CHECK  cargo learn check topological_order

use std::collections::HashSet;

/// Lists the nodes that `root` depends on, parents first.
pub fn order(parents: &[Vec<usize>], root: usize) -> Vec<usize> {
    let mut order = Vec::new();
    let mut visited = HashSet::from([root]);
    // A node stays on the path, with the index of its next parent, until all
    // its parents are in the order.
    let mut path = vec![(root, 0)];
    while let Some((node, next)) = path.pop() {
        // HOLE
        //| // Is there a parent at index `next`? Then the node goes back on
        //| // the path with the index after it, and the parent goes on top if
        //| // it has not been visited. Otherwise the node is appended to the
        //| // order.
        //| todo!("TODO(topological_order): the path and the order")
        match parents[node].get(next) {
            Some(&parent) => {
                path.push((node, next + 1));
                if visited.insert(parent) {
                    path.push((parent, 0));
                }
            }
            None => order.push(node),
        }
        // END HOLE
    }
    order
}
