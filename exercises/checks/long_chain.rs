//! Checks `long_chain`, a graph that is freed in a loop.

use std::cell::Cell;
use std::process::ExitCode;
use std::rc::Rc;

use exercises::{Outcome, check, wrong};

exercises::yours!("part1_cpu/long_chain.rs");

use yours::Node;

fn main() -> ExitCode {
    check(
        "long_chain",
        YOURS,
        &[
            ("a chain of three", three),
            ("the first of them has another owner", shared),
            ("each node of thirty diamonds is freed once", diamonds),
            ("a million links, in 2 MB of stack", million),
        ],
    )
}

/// Counts the values that are alive.
pub struct Value(Rc<Cell<usize>>);

impl Value {
    fn new(alive: &Rc<Cell<usize>>) -> Value {
        alive.set(alive.get() + 1);
        Value(Rc::clone(alive))
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        self.0.set(self.0.get() - 1);
    }
}

fn node(alive: &Rc<Cell<usize>>, parents: Vec<Rc<Node>>) -> Rc<Node> {
    Rc::new(Node { parents, value: Value::new(alive) })
}

/// Drops the learner's graph and counts what is left.
fn released(
    graph: &str,
    root: Rc<Node>,
    alive: &Rc<Cell<usize>>,
    stay: usize,
) -> Outcome {
    let before = alive.get();
    let said = yours::release(root);
    let left = alive.get();
    if left > stay {
        return Err(wrong(format!(
            "{graph}: {left} nodes are still alive, and {stay} should be. A \
             node without an owner must be dropped, with everything that it \
             owned."
        )));
    }
    let freed = before - stay;
    if said != freed {
        return Err(wrong(format!(
            "{graph}: {freed} nodes were freed, and you counted {said}. {}",
            match said > freed {
                true => "Dropping a handle that is not the last frees nothing.",
                false =>
                    "Count each node that is freed, not only the root: \
                     dropping it also frees the nodes that only it owns.",
            }
        )));
    }
    Ok(())
}

fn chain(alive: &Rc<Cell<usize>>, links: usize) -> Rc<Node> {
    let mut last = node(alive, vec![]);
    for _ in 1..links {
        last = node(alive, vec![last]);
    }
    last
}

fn three(_: &()) -> Outcome {
    let alive = Rc::default();
    released("A chain of 3", chain(&alive, 3), &alive, 0)
}

fn shared(_: &()) -> Outcome {
    let alive = Rc::default();
    let leaf = node(&alive, vec![]);
    let middle = node(&alive, vec![Rc::clone(&leaf), Rc::clone(&leaf)]);
    let root = node(&alive, vec![middle]);
    released("A leaf that you hold, and two nodes above it", root, &alive, 1)?;
    match Rc::strong_count(&leaf) {
        1 => Ok(()),
        owners => Err(wrong(format!(
            "The leaf has {owners} owners, and only the check should be left: \
             the nodes above it have been freed."
        ))),
    }
}

/// Thirty diamonds have a billion paths and 91 nodes.
fn diamonds(_: &()) -> Outcome {
    let alive = Rc::default();
    let mut top = node(&alive, vec![]);
    for _ in 0..30 {
        let sides = [(), ()].map(|()| node(&alive, vec![Rc::clone(&top)]));
        top = node(&alive, sides.to_vec());
    }
    released("Thirty diamonds", top, &alive, 0)
}

fn million(_: &()) -> Outcome {
    let walk = || {
        let alive = Rc::default();
        released("A million links", chain(&alive, 1_000_000), &alive, 0)
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(walk);
    match thread.expect("one more thread").join() {
        Ok(outcome) => outcome,
        Err(payload) => std::panic::resume_unwind(payload),
    }
}
