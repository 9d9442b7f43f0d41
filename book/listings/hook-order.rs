let oldest_use = oldest_uses(root);
// The gradient of a leaf is complete after its oldest use, so the leaf
// follows this node and precedes all older ones.
let order = |node: &Node| {
    let position = oldest_use.get(&node.id).unwrap_or(&node.id);
    (*position, node.id)
};
or_raise(no_grad(|| {
    sweep([(root, seed)], order, |node, grad, _| {
        if node.creator().is_none() {
            hook(node.id, grad);
        }
    })
}));
