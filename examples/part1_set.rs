//! Parents stored in a set, as in the notebook: the order changes from run to
//! run, and a repeated operand is lost.

use std::collections::{BTreeSet, HashSet};

// ANCHOR: set
/// A list of tensors, identified by their indices.
#[derive(Default)]
struct Graph {
    data: Vec<f32>,
    parents: Vec<HashSet<usize>>,
}

impl Graph {
    fn leaf(&mut self, data: f32) -> usize {
        self.data.push(data);
        self.parents.push(HashSet::new());
        self.data.len() - 1
    }

    fn mul(&mut self, a: usize, b: usize) -> usize {
        self.data.push(self.data[a] * self.data[b]);
        self.parents.push(HashSet::from([a, b]));
        self.data.len() - 1
    }
}
// ANCHOR_END: set

// ANCHOR: set-main
fn main() {
    // Build a thousand products instead of running the program a thousand
    // times.
    let mut orders = BTreeSet::new();
    for _ in 0..1000 {
        let mut graph = Graph::default();
        let (a, b) = (graph.leaf(2.0), graph.leaf(3.0));
        let c = graph.mul(a, b);
        let parents = graph.parents[c].iter();
        orders.insert(parents.map(|&p| graph.data[p] as i32).collect());
    }
    let orders: Vec<Vec<i32>> = orders.into_iter().collect();
    println!("parents of a * b: {orders:?}");

    let mut graph = Graph::default();
    let x = graph.leaf(3.0);
    let square = graph.mul(x, x);
    let rule = [3.0, 3.0];
    let given = graph.parents[square].iter().zip(rule);
    let slope: f32 = given.map(|(_, grad)| grad).sum();
    println!("x * x at 3: parents {:?}", graph.parents[square]);
    println!("its rule gives {rule:?}, and x gets {slope} instead of 6");

    let gradients = [100_000_000.0_f32, 1.0, -100_000_000.0];
    let [p, q, r] = gradients;
    println!("sums of {gradients:?}: {} and {}", p + q + r, p + r + q);
}
// ANCHOR_END: set-main
