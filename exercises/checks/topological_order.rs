//! Checks `topological_order`, every node after its parents.
//!
//! A graph may have many such orders, and each of them is correct.

use std::process::ExitCode;

use exercises::{Outcome, check, wrong};

exercises::yours!("part1_cpu/topological_order.rs");

fn main() -> ExitCode {
    check(
        "topological_order",
        YOURS,
        &[
            ("a chain of three", chain),
            ("x * x, and (x + x) * x with either operand first", twice),
            ("a diamond: two paths that meet again", diamond),
            ("nodes that the root does not depend on are left out", strangers),
            ("a ladder of forty diamonds, with 2^40 paths", ladder),
            ("a chain of 300,000 links", long),
        ],
    )
}

/// Checks that the learner's order of this graph is valid.
fn ordered(parents: &[Vec<usize>], root: usize) -> Outcome {
    let order = yours::order(parents, root);
    let graph = || {
        let numbered = parents.iter().enumerate();
        let rows: String = numbered
            .map(|(node, its)| format!("  node {node} has parents {its:?}\n"))
            .collect();
        format!("{rows}  the root is node {root}\n  yours  {order:?}")
    };
    let mut place = vec![None; parents.len()];
    for (at, &node) in order.iter().enumerate() {
        if node >= parents.len() {
            let words = format!("There is no node {node}.\n\n{}", graph());
            return Err(wrong(words));
        }
        if place[node].is_some() {
            return Err(wrong(format!(
                "Node {node} is in the order more than once. Mark each node \
                 when you first reach it.\n\n{}",
                graph()
            )));
        }
        place[node] = Some(at);
    }
    let needed = reachable(parents, root);
    for node in 0..parents.len() {
        match (place[node], needed[node]) {
            (None, true) => {
                return Err(wrong(format!(
                    "Node {node} is missing from the order, although the root \
                     depends on it.\n\n{}",
                    graph()
                )));
            }
            (Some(_), false) => {
                return Err(wrong(format!(
                    "Node {node} is in the order, but the root does not depend \
                     on it.\n\n{}",
                    graph()
                )));
            }
            _ => {}
        }
        let late = |parent: &&usize| place[**parent] >= place[node];
        if needed[node]
            && let Some(parent) = parents[node].iter().find(late)
        {
            return Err(wrong(format!(
                "Node {node} comes before its parent {parent}. Append a node \
                 only when all its parents are in the order.\n\n{}",
                graph()
            )));
        }
    }
    Ok(())
}

/// Returns which nodes the root depends on.
fn reachable(parents: &[Vec<usize>], root: usize) -> Vec<bool> {
    let mut seen = vec![false; parents.len()];
    let mut open = vec![root];
    while let Some(node) = open.pop() {
        if !std::mem::replace(&mut seen[node], true) {
            open.extend(&parents[node]);
        }
    }
    seen
}

fn chain(_: &()) -> Outcome {
    ordered(&[vec![], vec![0], vec![1]], 2)?;
    // A node's index is not its position in the order.
    ordered(&[vec![1], vec![2], vec![]], 0)
}

fn twice(_: &()) -> Outcome {
    ordered(&[vec![], vec![0, 0]], 1)?;
    ordered(&[vec![], vec![0, 0], vec![1, 0]], 2)?;
    ordered(&[vec![], vec![0, 0], vec![0, 1]], 2)
}

fn diamond(_: &()) -> Outcome {
    ordered(&[vec![], vec![0], vec![0], vec![1, 2]], 3)?;
    // One path is longer than the other.
    ordered(&[vec![], vec![0], vec![1], vec![0], vec![2, 3]], 4)?;
    ordered(&[vec![], vec![0], vec![1], vec![0], vec![3, 2]], 4)
}

fn strangers(_: &()) -> Outcome {
    ordered(&[vec![], vec![], vec![0, 1], vec![2], vec![0]], 4)
}

/// Each of the forty diamonds doubles the number of paths.
fn ladder(_: &()) -> Outcome {
    let mut parents = vec![vec![]];
    for foot in (0..120).step_by(3) {
        parents.extend([vec![foot], vec![foot], vec![foot + 1, foot + 2]]);
    }
    ordered(&parents, 120)
}

/// On a thread's 2 MB stack, which is 7 bytes per link: too little for a
/// recursive call.
fn long(_: &()) -> Outcome {
    let links = 300_000;
    let link = |at: usize| at.checked_sub(1).into_iter().collect();
    let parents: Vec<Vec<usize>> = (0..links).map(link).collect();
    let walk = move || ordered_in_number(&parents);
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(walk);
    match thread.expect("one more thread").join() {
        Ok(outcome) => outcome,
        Err(payload) => std::panic::resume_unwind(payload),
    }
}

/// A chain has only one order, which is too long to print.
fn ordered_in_number(parents: &[Vec<usize>]) -> Outcome {
    let order = yours::order(parents, parents.len() - 1);
    match order.iter().copied().eq(0..parents.len()) {
        true => Ok(()),
        false => Err(wrong(
            "The order of a chain of 300,000 nodes is wrong: each node must \
             come right after its parent.",
        )),
    }
}
