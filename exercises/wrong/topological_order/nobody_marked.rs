// No marks at all: a node stands once for each path that leads to it.

/// Lists the nodes under `root`, parents first.
pub fn order(parents: &[Vec<usize>], root: usize) -> Vec<usize> {
    let mut order = Vec::new();
    let mut path = vec![(root, 0)];
    while let Some((node, next)) = path.pop() {
        match parents[node].get(next) {
            Some(&parent) => {
                path.push((node, next + 1));
                path.push((parent, 0));
            }
            None => order.push(node),
        }
    }
    order
}
