// break_ring: a rule that does not own its result.
//
// WHAT   As in the notebook, a rule takes no argument: it reads the gradient
//        of its own result and adds to the gradients of the operands. Write it
//        so that the graph is freed when its last handle is dropped.
// WHY    A node that owns a rule that owns the node is never freed. There is
//        no error and no warning, but memory grows with every training step.
// READ   Who owns the graph
// CHECK  cargo learn check break_ring

use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// A number with its gradient, its operands, and its backward rule.
pub struct Node {
    pub value: f64,
    pub grad: Cell<f64>,
    pub parents: Vec<Rc<Node>>,
    pub rule: RefCell<Option<Box<dyn Fn()>>>,
    /// Notifies the check when the node is dropped.
    pub watch: super::Watch,
}

/// Multiplies two numbers.
pub fn mul(a: &Rc<Node>, b: &Rc<Node>) -> Rc<Node> {
    let out = Rc::new(Node {
        value: a.value * b.value,
        grad: Cell::new(0.0),
        parents: vec![Rc::clone(a), Rc::clone(b)],
        rule: RefCell::new(None),
        watch: a.watch.clone(),
    });
    let (x, y) = (Rc::downgrade(a), Rc::downgrade(b));
    let z = Rc::downgrade(&out);
    let rule = Box::new(move || {
        // The result owns its operands, so they are there as long as it is.
        let Some(z) = z.upgrade() else { return };
        let (Some(x), Some(y)) = (x.upgrade(), y.upgrade()) else { return };
        x.grad.set(x.grad.get() + z.grad.get() * y.value);
        y.grad.set(y.grad.get() + z.grad.get() * x.value);
    });
    *out.rule.borrow_mut() = Some(rule);
    out
}
