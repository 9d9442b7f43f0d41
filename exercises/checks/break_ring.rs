//! Checks `break_ring`, a backward rule that does not own its result.

use std::cell::{Cell, RefCell};
use std::process::ExitCode;
use std::rc::Rc;

use exercises::{Outcome, check, wrong};

exercises::yours!("part1_cpu/break_ring.rs");

use yours::Node;

fn main() -> ExitCode {
    check(
        "break_ring",
        YOURS,
        &[
            ("the rule of a * b gives both gradients", product),
            ("x * x adds both gradients", square),
            ("(a * b) * b, and a second backward pass", twice),
            ("nothing is left of a graph after backward", swept),
            ("nothing is left of a graph without backward", unswept),
        ],
    )
}

/// Counts the nodes that are alive.
pub struct Watch(Rc<Cell<usize>>);

impl Watch {
    fn new() -> Watch {
        Watch(Rc::new(Cell::new(1)))
    }

    /// The number of live nodes besides this one.
    fn others(&self) -> usize {
        self.0.get() - 1
    }
}

impl Clone for Watch {
    fn clone(&self) -> Watch {
        self.0.set(self.0.get() + 1);
        Watch(Rc::clone(&self.0))
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

fn leaf(value: f64, watch: &Watch) -> Rc<Node> {
    Rc::new(Node {
        value,
        grad: Cell::new(0.0),
        parents: vec![],
        rule: RefCell::new(None),
        watch: watch.clone(),
    })
}

fn apply(node: &Node) {
    let rule = node.rule.borrow();
    rule.as_ref().expect("a product has a rule")();
}

fn expect(name: &str, node: &Node, right: f64, why: &str) -> Outcome {
    match node.grad.get() {
        grad if grad == right => Ok(()),
        grad => Err(wrong(format!(
            "The gradient of {name} is {grad}. It should be {right}. {why}"
        ))),
    }
}

const WHEN: &str = "A rule is called later, when the gradient of its result \
                    has arrived: read the gradient inside the rule.";

fn product(_: &()) -> Outcome {
    let watch = Watch::new();
    let (a, b) = (leaf(2.0, &watch), leaf(3.0, &watch));
    let c = yours::mul(&a, &b);
    c.grad.set(5.0);
    apply(&c);
    expect("a", &a, 15.0, WHEN)?;
    expect("b", &b, 10.0, WHEN)
}

fn square(_: &()) -> Outcome {
    let watch = Watch::new();
    let x = leaf(3.0, &watch);
    let y = yours::mul(&x, &x);
    y.grad.set(1.0);
    apply(&y);
    expect(
        "x in x * x",
        &x,
        6.0,
        "Add both gradients: neither may overwrite the other.",
    )
}

/// As in the notebook, the caller resets the intermediate gradient before each
/// backward pass.
fn twice(_: &()) -> Outcome {
    let watch = Watch::new();
    let (a, b) = (leaf(2.0, &watch), leaf(3.0, &watch));
    let c = yours::mul(&a, &b);
    let d = yours::mul(&c, &b);
    for _ in 0..2 {
        c.grad.set(0.0);
        d.grad.set(1.0);
        apply(&d);
        apply(&c);
    }
    expect(
        "a after two backward passes",
        &a,
        18.0,
        "A second pass adds the same gradient again.",
    )?;
    expect(
        "b after two backward passes",
        &b,
        24.0,
        "A second pass adds the same gradient again.",
    )
}

fn left(watch: &Watch, graph: &str) -> Outcome {
    match watch.others() {
        0 => Ok(()),
        nodes => Err(wrong(format!(
            "{nodes} nodes of {graph} are still alive, although there is no \
             handle to the graph. The result owns its rule: does the rule own \
             the result?"
        ))),
    }
}

fn swept(_: &()) -> Outcome {
    let watch = Watch::new();
    {
        let (a, b) = (leaf(2.0, &watch), leaf(3.0, &watch));
        let c = yours::mul(&yours::mul(&a, &b), &b);
        c.grad.set(1.0);
        apply(&c);
    }
    left(&watch, "(a * b) * b")
}

fn unswept(_: &()) -> Outcome {
    let watch = Watch::new();
    drop(yours::mul(&leaf(2.0, &watch), &leaf(3.0, &watch)));
    left(&watch, "a * b")
}
