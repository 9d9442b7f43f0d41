// long_chain: free a graph of any length.
//
// WHAT   You have a handle on the last node of a graph. Give it up, free every
//        node that has no other owner, and return how many those were.
// WHY    What drops its parents inside its own drop takes a piece of stack for
//        each link, and a chain of a million links has more of them than a
//        stack has room. Nobody sees it before the first long sequence.
// READ   Who owns the graph
// CHECK  cargo learn check long_chain

use std::rc::Rc;

/// A node of a graph, reduced to what it owns. The numbers are with `value`,
/// which tells the check when it goes.
pub struct Node {
    pub parents: Vec<Rc<Node>>,
    pub value: super::Value,
}

/// Gives up a handle, and counts the nodes that are freed by that.
pub fn release(root: Rc<Node>) -> usize {
    // HOLE
    //| // `drop(root)` frees the same nodes, and overflows the stack. Which
    //| // handle is a node's last one? `Rc::into_inner` knows.
    //| todo!("TODO(long_chain): free the graph in a loop")
    let mut open = vec![root];
    let mut freed = 0;
    while let Some(handle) = open.pop() {
        if let Some(node) = Rc::into_inner(handle) {
            freed += 1;
            open.extend(node.parents);
        }
    }
    freed
    // END HOLE
}
