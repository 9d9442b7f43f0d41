// long_chain: free a graph of any length.
//
// WHAT   You have a handle to the last node of a graph. Drop it, free every
//        node that has no other owner, and return the number of freed nodes.
// WHY    If a node drops its parents inside its own drop, each link of a chain
//        needs a stack frame, and a chain of a million links overflows the
//        stack. You notice it only with the first long sequence.
// READ   Who owns the graph
// CHECK  cargo learn check long_chain

use std::rc::Rc;

/// A node of a graph, reduced to what it owns. `value` stands for its data and
/// tells the check when it is dropped.
pub struct Node {
    pub parents: Vec<Rc<Node>>,
    pub value: super::Value,
}

/// Drops a handle and returns the number of nodes that this frees.
pub fn release(root: Rc<Node>) -> usize {
    let mut open = vec![root];
    let mut freed = 0;
    while let Some(handle) = open.pop() {
        if Rc::strong_count(&handle) > 1 {
            continue;
        }
        freed += 1;
        let Ok(mut node) = Rc::try_unwrap(handle) else { unreachable!() };
        open.append(&mut node.parents);
    }
    freed
}
