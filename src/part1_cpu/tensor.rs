//! The tensor of Part 1, built in "A tensor that remembers" and "Who owns the
//! graph".

use std::cell::RefCell;
use std::fmt;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

use ndarray::{ArrayD, IxDyn};

use super::array::row_major;
use crate::error::mistake;
use crate::ops::Op;
use crate::{ledger, shape};

// ANCHOR: tensor
/// An array that remembers how it was computed. Clones share everything.
#[derive(Clone)]
pub struct Tensor(pub(super) Rc<Node>);

pub(super) struct Node {
    pub(super) id: u64,
    pub(super) op: Op,
    pub(super) data: Rc<ArrayD<f32>>,
    pub(super) grad: RefCell<Option<ArrayD<f32>>>,
    /// In operand order; `x * x` has `x` twice.
    pub(super) parents: Vec<Tensor>,
    /// `None` for a leaf.
    pub(super) rule: Option<Rule>,
}

/// Computes one gradient per parent from the upstream gradient `grad_out`. A
/// rule captures arrays, never tensors: a captured tensor would be a second
/// owner of the graph.
pub(super) type Rule = Box<dyn Fn(&ArrayD<f32>) -> Vec<ArrayD<f32>>>;
// ANCHOR_END: tensor

impl Tensor {
    /// Creates a leaf: a tensor that was not computed from other tensors.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// let x = Tensor::new(&[2, 3], &[1., 2., 3., 4., 5., 6.]);
    /// assert_eq!(x.shape(), [2, 3]);
    /// ```
    ///
    /// # Panics
    ///
    /// If the number of values differs from the number of elements in `shape`.
    #[doc(alias = "tensor")]
    #[track_caller]
    pub fn new(shape: &[usize], values: &[f32]) -> Tensor {
        match ArrayD::from_shape_vec(IxDyn(shape), values.to_vec()) {
            Ok(data) => Tensor::from(data),
            Err(_) => mistake(format!(
                "Tensor::new: shape {shape:?} holds {} elements, but {} \
                 values were given; make the two agree",
                shape::size(shape),
                values.len()
            )),
        }
    }

    fn from_node(
        op: Op,
        data: Rc<ArrayD<f32>>,
        parents: Vec<Tensor>,
        rule: Option<Rule>,
    ) -> Tensor {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        ledger::count(|c| c.nodes += 1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let grad = RefCell::new(None);
        Tensor(Rc::new(Node { id, op, data, grad, parents, rule }))
    }
}

/// ```
/// # use rungrad::part1_cpu::Tensor;
/// let x = Tensor::new(&[2], &[3.0, 4.0]);
/// let twice = Tensor::from_op("twice", &[&x], &*x.data() * 2.0, |grad_out| {
///     vec![grad_out * 2.0]
/// });
/// twice.sum().backward();
/// assert_eq!(x.grad().unwrap().as_slice().unwrap(), [2.0, 2.0]);
/// ```
// ANCHOR: from-op
impl Tensor {
    /// Creates the result of a custom operation from its name, its parents in
    /// operand order, its data, and the local rule that turns `grad_out` into
    /// one gradient per parent.
    pub fn from_op(
        name: &'static str,
        parents: &[&Tensor],
        data: ArrayD<f32>,
        rule: impl Fn(&ArrayD<f32>) -> Vec<ArrayD<f32>> + 'static,
    ) -> Tensor {
        let rule = move |grad_out: &ArrayD<f32>| {
            rule(grad_out).into_iter().map(row_major).collect()
        };
        Tensor::record(Op::named(name), parents, row_major(data), rule)
    }
}
// ANCHOR_END: from-op

// ANCHOR: record
impl Tensor {
    /// Like [`Tensor::from_op`], for the operations of this crate, whose
    /// arrays are already in row-major order.
    pub(super) fn record(
        op: Op,
        parents: &[&Tensor],
        data: impl Into<Rc<ArrayD<f32>>>,
        rule: impl Fn(&ArrayD<f32>) -> Vec<ArrayD<f32>> + 'static,
    ) -> Tensor {
        let parents = parents.iter().map(|&p| p.clone()).collect();
        Tensor::from_node(op, data.into(), parents, Some(Box::new(rule)))
    }
}
// ANCHOR_END: record

impl From<ArrayD<f32>> for Tensor {
    fn from(data: ArrayD<f32>) -> Tensor {
        let data = Rc::new(row_major(data));
        Tensor::from_node(Op::Leaf, data, Vec::new(), None)
    }
}

impl Tensor {
    /// Returns a shared handle to the array, which a rule can capture without
    /// copying the elements.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// let x = Tensor::new(&[2], &[1.0, 2.0]);
    /// assert_eq!(x.data()[1], 2.0);
    /// ```
    pub fn data(&self) -> Rc<ArrayD<f32>> {
        Rc::clone(&self.0.data)
    }

    /// Returns the size along each axis.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// assert_eq!(Tensor::new(&[2, 3], &[0.0; 6]).shape(), [2, 3]);
    /// ```
    #[doc(alias = "size")]
    pub fn shape(&self) -> &[usize] {
        self.0.data.shape()
    }

    /// Copies the elements into a vector, in row-major order.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// let x = Tensor::new(&[2, 2], &[1., 2., 3., 4.]);
    /// assert_eq!(x.transpose().to_vec(), [1., 3., 2., 4.]);
    /// ```
    #[doc(alias = "tolist")]
    pub fn to_vec(&self) -> Vec<f32> {
        self.0.data.iter().copied().collect()
    }

    /// Returns the gradient accumulated so far, or `None` before the first
    /// backward pass. Only leaves accumulate a gradient.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// let x = Tensor::new(&[1], &[3.0]);
    /// assert!(x.grad().is_none());
    /// (&x * &x).backward();
    /// assert_eq!(x.grad().unwrap()[0], 6.0);
    /// ```
    pub fn grad(&self) -> Option<ArrayD<f32>> {
        self.0.grad.borrow().clone()
    }

    /// Clears the gradient, so that the next backward pass starts from zero.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// let x = Tensor::new(&[1], &[3.0]);
    /// (&x * &x).backward();
    /// x.zero_grad();
    /// assert!(x.grad().is_none());
    /// ```
    pub fn zero_grad(&self) {
        self.0.grad.replace(None);
    }

    /// Returns the unique id of this tensor, which also identifies it on a
    /// tape.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// let x = Tensor::new(&[1], &[3.0]);
    /// assert_eq!(x.id(), x.clone().id());
    /// assert!((&x * &x).id() > x.id());
    /// ```
    pub fn id(&self) -> u64 {
        self.0.id
    }

    /// Returns the name of the operation that computed this tensor, or `leaf`.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// let x = Tensor::new(&[1], &[3.0]);
    /// assert_eq!((x.op(), x.exp().op()), ("leaf", "exp"));
    /// ```
    #[doc(alias = "grad_fn")]
    pub fn op(&self) -> &'static str {
        self.0.op.name()
    }

    /// Returns the operands from which this tensor was computed, in order.
    ///
    /// ```
    /// # use rungrad::part1_cpu::Tensor;
    /// let x = Tensor::new(&[1], &[3.0]);
    /// let y = &x * &x;
    /// assert_eq!(y.parents().len(), 2);
    /// assert_eq!(y.parents()[1].id(), x.id());
    /// ```
    #[doc(alias = "next_functions")]
    pub fn parents(&self) -> &[Tensor] {
        &self.0.parents
    }
}

// ANCHOR: drop
/// Frees the graph in a loop. The drop that the compiler generates recurses
/// once per link, and a chain of a million nodes would overflow the stack.
impl Drop for Node {
    fn drop(&mut self) {
        ledger::count(|c| c.nodes_freed += 1);
        let mut orphans = std::mem::take(&mut self.parents);
        while let Some(orphan) = orphans.pop() {
            if let Some(mut node) = Rc::into_inner(orphan.0) {
                orphans.append(&mut node.parents);
            }
        }
    }
}
// ANCHOR_END: drop

impl fmt::Display for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<Tensor with data: {}", self.0.data)?;
        match &*self.0.grad.borrow() {
            Some(grad) => write!(f, ", grad: {grad}>"),
            None => write!(f, ", grad: none>"),
        }
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
