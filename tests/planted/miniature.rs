//! The smallest engine with a backward pass: products and sums of equal
//! shapes. Part 1 keeps its backward pass private, so bugs of the backward
//! pass are planted here.

use std::cell::RefCell;
use std::collections::HashSet;
use std::rc::Rc;

use rungrad::error::mistake;
use rungrad::graph::topological_order;
use rungrad::ops::{Keep, Op};
use rungrad::tape::{Gradient, Record, Tape};

use testkit::engine::Engine;

#[derive(Clone, Copy, PartialEq)]
pub enum Bug {
    None,
    /// `=` instead of `+=` when a gradient is added.
    Overwrite,
    /// The gradient of the result starts at 0 like all the others.
    NoSeed,
    /// Breadth-first order from the result.
    BreadthFirst,
    /// Each tensor comes before its operands, but not after all its consumers.
    DepthFirst,
    /// The operands are a set, as in the notebook.
    ASetOfParents,
    /// Gradients of intermediate tensors stay for the next backward pass.
    KeepsIntermediate,
    /// Intermediate tensors keep a gradient too.
    EveryTensorKeeps,
    /// A root with many elements is summed implicitly.
    ImplicitSum,
    /// The first gradient of a leaf is added to zeros.
    AddsToZeros,
    /// The gradient of a leaf is the last one that was added.
    ForgetsTheFirst,
}

pub struct Miniature(pub Bug);

pub struct Node {
    id: u64,
    op: Op,
    shape: Vec<usize>,
    values: Vec<f32>,
    parents: Vec<Tensor>,
    /// The gradient that was added up so far in this backward pass.
    arrived: RefCell<Option<Vec<f32>>>,
    grad: RefCell<Option<Vec<f32>>>,
}

type Tensor = Rc<Node>;

impl Miniature {
    fn node(
        &self,
        op: Op,
        shape: &[usize],
        values: Vec<f32>,
        parents: Vec<Tensor>,
    ) -> Tensor {
        thread_local! {
            static NEXT: RefCell<u64> = const { RefCell::new(0) };
        }
        let id = NEXT.with_borrow_mut(|next| {
            *next += 1;
            *next
        });
        let (arrived, grad) = Default::default();
        let shape = shape.to_vec();
        Rc::new(Node { id, op, shape, values, parents, arrived, grad })
    }

    /// Returns the order of the backward pass, with the result first.
    fn order<'a>(&self, root: &'a Tensor) -> Vec<&'a Tensor> {
        let mut order =
            topological_order(root, |t| t.id, |t, k| t.parents.get(k));
        order.reverse();
        if matches!(self.0, Bug::BreadthFirst | Bug::DepthFirst) {
            let mut seen = HashSet::new();
            let mut waiting = vec![root];
            order.clear();
            while !waiting.is_empty() {
                let next = match self.0 {
                    Bug::BreadthFirst => waiting.remove(0),
                    _ => waiting.pop().expect("one waits"),
                };
                if seen.insert(next.id) {
                    order.push(next);
                    waiting.extend(next.parents.iter());
                }
            }
        }
        order
    }

    fn sweep(
        &self,
        root: &Tensor,
        seed: &[f32],
        mut seen: impl FnMut(&Tensor, &[f32], &[Vec<f32>]),
    ) {
        let order = self.order(root);
        for tensor in &order {
            if self.0 != Bug::KeepsIntermediate || tensor.parents.is_empty() {
                tensor.arrived.take();
            }
        }
        let seed = match self.0 {
            Bug::NoSeed => vec![0.0; seed.len()],
            _ => seed.to_vec(),
        };
        root.arrived.replace(Some(seed));
        for tensor in order {
            let grad_out = tensor.arrived.borrow().clone();
            let grad_out = grad_out.expect("a consumer was met before");
            let grads = rule(tensor, &grad_out);
            seen(tensor, &grad_out, &grads);
            if grads.is_empty() || self.0 == Bug::EveryTensorKeeps {
                self.keep(tensor, &grad_out);
            }
            for (parent, grad) in tensor.parents.iter().zip(&grads) {
                let mut arrived = parent.arrived.borrow_mut();
                match &mut *arrived {
                    Some(sum) if self.0 != Bug::Overwrite => add(sum, grad),
                    arrived => *arrived = Some(grad.clone()),
                }
            }
        }
    }

    fn keep(&self, tensor: &Tensor, grad: &[f32]) {
        let mut kept = tensor.grad.borrow_mut();
        match (&mut *kept, self.0) {
            (Some(sum), fault) if fault != Bug::ForgetsTheFirst => {
                add(sum, grad)
            }
            (kept, Bug::AddsToZeros) => {
                add(kept.insert(vec![0.0; grad.len()]), grad)
            }
            (kept, _) => *kept = Some(grad.to_vec()),
        }
    }

    #[track_caller]
    fn check_root(&self, root: &Tensor) {
        if root.values.len() != 1 && self.0 != Bug::ImplicitSum {
            mistake(format!(
                "backward: this tensor has shape {:?}, not one element; sum \
                 it first, or hand backward_with a gradient of that shape",
                root.shape
            ));
        }
    }
}

/// The backward rules, which are right for the operands that they get.
fn rule(tensor: &Tensor, grad_out: &[f32]) -> Vec<Vec<f32>> {
    let times = |other: &Tensor| {
        let pairs = grad_out.iter().zip(&other.values);
        pairs.map(|(g, y)| g * y).collect()
    };
    match (&tensor.op, &tensor.parents[..]) {
        (Op::Mul, [a, b]) => vec![times(b), times(a)],
        // `x * x` if its operands are a set.
        (Op::Mul, [a]) => vec![times(a)],
        (Op::Sum(..), [a]) => vec![vec![grad_out[0]; a.values.len()]],
        _ => Vec::new(),
    }
}

fn add(sum: &mut [f32], grad: &[f32]) {
    sum.iter_mut().zip(grad).for_each(|(sum, g)| *sum += g);
}

impl Engine for Miniature {
    type Tensor = Tensor;

    fn name(&self) -> String {
        "the miniature".to_string()
    }

    fn leaf(&self, shape: &[usize], values: &[f32]) -> Tensor {
        self.node(Op::Leaf, shape, values.to_vec(), Vec::new())
    }

    fn mul(&self, a: &Tensor, b: &Tensor) -> Tensor {
        let pairs = a.values.iter().zip(&b.values);
        let product = pairs.map(|(x, y)| x * y).collect();
        let mut parents = vec![Rc::clone(a), Rc::clone(b)];
        if self.0 == Bug::ASetOfParents {
            parents.dedup_by_key(|parent| parent.id);
        }
        self.node(Op::Mul, &a.shape, product, parents)
    }

    fn sum(&self, a: &Tensor) -> Tensor {
        let total = a.values.iter().sum();
        let op = Op::Sum((0..a.shape.len()).collect(), Keep::No);
        self.node(op, &[], vec![total], vec![Rc::clone(a)])
    }

    fn shape(&self, a: &Tensor) -> Vec<usize> {
        a.shape.clone()
    }

    fn values(&self, a: &Tensor) -> Vec<f32> {
        a.values.clone()
    }

    fn grad(&self, a: &Tensor) -> Option<Vec<f32>> {
        a.grad.borrow().clone()
    }

    fn zero_grad(&self, a: &Tensor) {
        a.grad.take();
    }

    fn backward(&self, a: &Tensor) {
        self.check_root(a);
        self.sweep(a, &vec![1.0; a.values.len()], |_, _, _| ());
    }

    fn backward_with(&self, a: &Tensor, _shape: &[usize], grad: &[f32]) {
        self.sweep(a, grad, |_, _, _| ());
    }

    fn record(&self, build: impl FnOnce() -> Tensor) -> Tape {
        let root = build();
        let order = topological_order(&root, |t| t.id, |t, k| t.parents.get(k));
        let records = order.iter().map(|t| {
            let parents = t.parents.iter().map(|p| p.id).collect();
            let values = Some(t.values.clone());
            Record::new(t.id, t.op.clone(), parents, &t.shape, values)
        });
        let mut tape = Tape::new(records.collect());
        self.sweep(&root, &[1.0], |tensor, grad_out, grads| {
            let given = tensor.parents.iter().zip(grads).map(|(parent, g)| {
                let flat: Gradient = (parent.shape.clone(), g.clone());
                Some(flat)
            });
            tape.set_grads(tensor.id, grad_out.to_vec(), given.collect());
        });
        tape
    }
}
