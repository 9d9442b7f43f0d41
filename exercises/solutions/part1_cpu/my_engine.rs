// my_engine: an engine of your own.
//
// WHAT   Build an engine, from an empty `Tensor` to a network that reads
//        digits, in ten levels. Each level requires a few functions and tests
//        them with laws, the same tests that check the engines of this course.
//        Everything else is up to you. The check tells you which level is
//        next, and what it requires.
// WHY    Once you have written every line of an engine, no engine is a
//        mystery.
// READ   An engine of your own
// CHECK  cargo learn check my_engine

// LEVELS 3-
use std::cell::RefCell;
// END LEVELS
// LEVELS 2-2
use std::collections::HashSet;
// LEVELS 3-
use std::collections::{HashMap, HashSet};
// END LEVELS
// LEVELS 1-
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};
// LEVELS 10-

use rungrad::rng::Random;
// END LEVELS

/// An array of numbers that remembers how it was computed.
#[derive(Clone)]
// LEVELS -0
pub struct Tensor;
// LEVELS 1-
pub struct Tensor(Rc<Node>);

struct Node {
    id: u64,
    op: &'static str,
    shape: Vec<usize>,
    data: Rc<Vec<f32>>,
    /// In operand order; for `x * x`, `x` is listed twice.
    parents: Vec<Tensor>,
    // LEVELS 3-
    /// `None` for a leaf.
    rule: Option<Rule>,
    /// The gradient accumulated in a leaf.
    grad: RefCell<Option<Vec<f32>>>,
    // LEVELS 1-
}
// LEVELS 3-

/// Takes `grad_out` and returns one gradient per parent. It captures values,
/// never tensors: a captured tensor would keep the graph alive.
type Rule = Box<dyn Fn(&[f32]) -> Vec<Vec<f32>>>;
// LEVELS 1-

impl Node {
    fn new(
        op: &'static str,
        shape: &[usize],
        data: Vec<f32>,
        parents: Vec<Tensor>,
    ) -> Node {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        Node {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            op,
            shape: shape.to_vec(),
            data: Rc::new(data),
            parents,
            // LEVELS 3-
            rule: None,
            grad: RefCell::new(None),
            // LEVELS 1-
        }
    }
}

impl Tensor {
    /// Creates a leaf.
    #[track_caller]
    pub fn new(shape: &[usize], values: &[f32]) -> Tensor {
        let size: usize = shape.iter().product();
        if size != values.len() {
            let count = values.len();
            panic!("new: shape {shape:?} takes {size} values, not {count}");
        }
        Tensor(Rc::new(Node::new("leaf", shape, values.to_vec(), vec![])))
    }

    // LEVELS 3-
    /// Creates the result of an operation, with its backward rule.
    fn from_op(
        op: &'static str,
        shape: &[usize],
        data: Vec<f32>,
        parents: &[&Tensor],
        rule: impl Fn(&[f32]) -> Vec<Vec<f32>> + 'static,
    ) -> Tensor {
        let parents = parents.iter().map(|&it| it.clone()).collect();
        let mut node = Node::new(op, shape, data, parents);
        node.rule = Some(Box::new(rule));
        Tensor(Rc::new(node))
    }

    // LEVELS 1-
    pub fn id(&self) -> u64 {
        self.0.id
    }

    pub fn op(&self) -> &'static str {
        self.0.op
    }

    pub fn shape(&self) -> &[usize] {
        &self.0.shape
    }

    pub fn to_vec(&self) -> Vec<f32> {
        self.0.data.to_vec()
    }

    pub fn parents(&self) -> &[Tensor] {
        &self.0.parents
    }
    // LEVELS 3-

    /// Returns the gradient accumulated in this leaf.
    pub fn grad(&self) -> Option<Vec<f32>> {
        self.0.grad.borrow().clone()
    }
    // LEVELS 4-

    /// Clears the gradient.
    pub fn zero_grad(&self) {
        self.0.grad.replace(None);
    }
    // LEVELS 2-

    /// Lists the graph, each tensor once and after its parents.
    pub fn graph(&self) -> Vec<Tensor> {
        let mut order = Vec::new();
        let mut visited = HashSet::from([self.0.id]);
        // A tensor stays on the path, with the index of its next parent.
        let mut path = vec![(self.clone(), 0)];
        while let Some((tensor, next)) = path.last_mut() {
            match tensor.0.parents.get(*next).cloned() {
                Some(parent) => {
                    *next += 1;
                    if visited.insert(parent.0.id) {
                        path.push((parent, 0));
                    }
                }
                None => order.extend(path.pop().map(|(tensor, _)| tensor)),
            }
        }
        order
    }
    // LEVELS 3-

    /// Adds the gradient of this single element to every leaf.
    #[track_caller]
    pub fn backward(&self) {
        let shape = self.shape();
        if self.0.data.len() != 1 {
            panic!("backward: shape {shape:?} is not one element; sum it");
        }
        self.sweep(vec![1.0]);
    }

    /// Adds the gradient of the sum of `self * grad` to every leaf.
    #[track_caller]
    pub fn backward_with(&self, grad: &Tensor) {
        let (given, wanted) = (grad.shape(), self.shape());
        if given != wanted {
            panic!("backward_with: a gradient of {given:?} for {wanted:?}");
        }
        self.sweep(grad.to_vec());
    }

    /// Runs backward from here to the leaves. Gradients of inner tensors are
    /// kept in a map for this call only.
    fn sweep(&self, seed: Vec<f32>) {
        let mut waiting = HashMap::from([(self.0.id, seed)]);
        for tensor in self.graph().iter().rev() {
            let Some(grad_out) = waiting.remove(&tensor.0.id) else {
                continue;
            };
            let Some(rule) = &tensor.0.rule else {
                // LEVELS 3-3
                tensor.0.grad.replace(Some(grad_out));
                // LEVELS 4-
                gather(&mut tensor.0.grad.borrow_mut(), grad_out);
                // LEVELS 3-
                continue;
            };
            for (parent, grad) in tensor.0.parents.iter().zip(rule(&grad_out)) {
                // LEVELS 3-3
                waiting.insert(parent.0.id, grad);
                // LEVELS 4-
                match waiting.get_mut(&parent.0.id) {
                    Some(sum) => add_to(sum, &grad),
                    None => drop(waiting.insert(parent.0.id, grad)),
                }
                // LEVELS 3-
            }
        }
    }
    // LEVELS 1-
}
// LEVELS 4-

/// Adds to the gradient; the first one is moved in.
fn gather(kept: &mut Option<Vec<f32>>, grad: Vec<f32>) {
    match kept {
        Some(sum) => add_to(sum, &grad),
        None => *kept = Some(grad),
    }
}

fn add_to(sum: &mut [f32], grad: &[f32]) {
    sum.iter_mut().zip(grad).for_each(|(sum, g)| *sum += g);
}
// LEVELS 5-

/// Frees a chain of any length in a loop. The generated drop would call itself
/// once per link.
impl Drop for Node {
    fn drop(&mut self) {
        let mut orphans = std::mem::take(&mut self.parents);
        while let Some(orphan) = orphans.pop() {
            if let Some(mut node) = Rc::into_inner(orphan.0) {
                orphans.append(&mut node.parents);
            }
        }
    }
}
// LEVELS 1-6

#[track_caller]
fn check_same(op: &str, a: &Tensor, b: &Tensor) {
    let (left, right) = (a.shape(), b.shape());
    if left != right {
        panic!("{op}: the shapes {left:?} and {right:?} differ");
    }
}
// LEVELS 7-

/// Returns the shape to which both broadcast.
#[track_caller]
fn broadcast(op: &str, a: &Tensor, b: &Tensor) -> Vec<usize> {
    let (left, right) = (a.shape(), b.shape());
    let rank = left.len().max(right.len());
    let size = |shape: &[usize], axis: usize| {
        let own = (axis + shape.len()).checked_sub(rank);
        own.map_or(1, |own| shape[own])
    };
    let mut shape = Vec::new();
    for axis in 0..rank {
        shape.push(match (size(left, axis), size(right, axis)) {
            (1, size) | (size, 1) => size,
            (one, other) if one == other => one,
            _ => panic!("{op}: {left:?} and {right:?} do not broadcast"),
        });
    }
    shape
}

/// Returns for each element of a broadcast array the index of its original.
fn places(from: &[usize], to: &[usize]) -> Vec<usize> {
    let missing = to.len() - from.len();
    let mut places = vec![0];
    for (axis, &size) in to.iter().enumerate() {
        let own = axis.checked_sub(missing).map_or(1, |axis| from[axis]);
        let along = |i: usize| if own == 1 { 0 } else { i };
        let copies = |place: &usize| {
            let first = place * own;
            (0..size).map(move |i| first + along(i)).collect::<Vec<_>>()
        };
        places = places.iter().flat_map(copies).collect();
    }
    places
}

/// Copies the elements to a larger shape.
fn expand(data: &[f32], from: &[usize], to: &[usize]) -> Vec<f32> {
    if from == to {
        return data.to_vec();
    }
    places(from, to).into_iter().map(|place| data[place]).collect()
}

/// Adds up the gradients of the copies, the inverse of `expand`.
fn sum_to(grad: &[f32], from: &[usize], to: &[usize]) -> Vec<f32> {
    if from == to {
        return grad.to_vec();
    }
    let mut sum = vec![0.0; to.iter().product()];
    for (g, place) in grad.iter().zip(places(to, from)) {
        sum[place] += g;
    }
    sum
}
// LEVELS 1-

/// Combines two arrays element by element.
fn zip(a: &[f32], b: &[f32], f: impl Fn(f32, f32) -> f32) -> Vec<f32> {
    a.iter().zip(b).map(|(x, y)| f(*x, *y)).collect()
}

impl Tensor {
    // LEVELS 1-2
    #[track_caller]
    pub fn mul(&self, other: &Tensor) -> Tensor {
        check_same("mul", self, other);
        let data = zip(&self.0.data, &other.0.data, |x, y| x * y);
        let parents = vec![self.clone(), other.clone()];
        Tensor(Rc::new(Node::new("mul", self.shape(), data, parents)))
    }
    // LEVELS 3-6
    #[track_caller]
    pub fn mul(&self, other: &Tensor) -> Tensor {
        check_same("mul", self, other);
        let (a, b) = (Rc::clone(&self.0.data), Rc::clone(&other.0.data));
        let data = zip(&a, &b, |x, y| x * y);
        Tensor::from_op("mul", self.shape(), data, &[self, other], move |g| {
            vec![zip(g, &b, |g, y| g * y), zip(g, &a, |g, x| g * x)]
        })
    }
    // LEVELS 7-
    #[track_caller]
    pub fn mul(&self, other: &Tensor) -> Tensor {
        let shape = broadcast("mul", self, other);
        let [left, right] = [self, other].map(|it| it.0.shape.clone());
        let a = expand(&self.0.data, &left, &shape);
        let b = expand(&other.0.data, &right, &shape);
        let (data, to) = (zip(&a, &b, |x, y| x * y), shape.clone());
        Tensor::from_op("mul", &shape, data, &[self, other], move |g| {
            let grad_a = zip(g, &b, |g, y| g * y);
            let grad_b = zip(g, &a, |g, x| g * x);
            vec![sum_to(&grad_a, &to, &left), sum_to(&grad_b, &to, &right)]
        })
    }
    // LEVELS 4-6

    #[track_caller]
    pub fn add(&self, other: &Tensor) -> Tensor {
        check_same("add", self, other);
        let data = zip(&self.0.data, &other.0.data, |x, y| x + y);
        Tensor::from_op("add", self.shape(), data, &[self, other], |g| {
            vec![g.to_vec(), g.to_vec()]
        })
    }
    // LEVELS 7-

    #[track_caller]
    pub fn add(&self, other: &Tensor) -> Tensor {
        let shape = broadcast("add", self, other);
        let [left, right] = [self, other].map(|it| it.0.shape.clone());
        let a = expand(&self.0.data, &left, &shape);
        let b = expand(&other.0.data, &right, &shape);
        let (data, to) = (zip(&a, &b, |x, y| x + y), shape.clone());
        Tensor::from_op("add", &shape, data, &[self, other], move |g| {
            vec![sum_to(g, &to, &left), sum_to(g, &to, &right)]
        })
    }
    // LEVELS 6-6

    /// Subtracts. It is composed, so it needs no rule.
    #[track_caller]
    pub fn sub(&self, other: &Tensor) -> Tensor {
        self.add(&other.neg())
    }
    // LEVELS 7-

    /// Subtracts. It is composed, so it needs no rule, but it checks its
    /// operands.
    #[track_caller]
    pub fn sub(&self, other: &Tensor) -> Tensor {
        broadcast("sub", self, other);
        self.add(&other.neg())
    }
    // LEVELS 6-

    /// Creates an elementwise operation from its value and its derivative,
    /// which may use the operand and the result.
    fn each(
        &self,
        op: &'static str,
        value: fn(f32) -> f32,
        slope: fn(f32, f32) -> f32,
    ) -> Tensor {
        let x = Rc::clone(&self.0.data);
        let y: Vec<f32> = x.iter().map(|x| value(*x)).collect();
        let slopes = zip(&x, &y, slope);
        Tensor::from_op(op, self.shape(), y, &[self], move |g| {
            vec![zip(g, &slopes, |g, slope| g * slope)]
        })
    }

    pub fn neg(&self) -> Tensor {
        self.each("neg", |x| -x, |_, _| -1.0)
    }

    pub fn exp(&self) -> Tensor {
        self.each("exp", f32::exp, |_, y| y)
    }

    /// Computes ReLU. The rule selects instead of multiplying, because 0 times
    /// infinity is NaN.
    pub fn relu(&self) -> Tensor {
        let x = Rc::clone(&self.0.data);
        let closed = |x: f32, y: f32| if x <= 0.0 { 0.0 } else { y };
        let y = zip(&x, &x, closed);
        Tensor::from_op("relu", self.shape(), y, &[self], move |g| {
            vec![zip(&x, g, closed)]
        })
    }
    // LEVELS 4-

    /// Sums all elements.
    pub fn sum(&self) -> Tensor {
        let total = self.0.data.iter().sum();
        let count = self.0.data.len();
        Tensor::from_op("sum", &[], vec![total], &[self], move |g| {
            vec![vec![g[0]; count]]
        })
    }
    // LEVELS 8-

    /// Multiplies (m, k) x (k, n) -> (m, n).
    #[track_caller]
    pub fn matmul(&self, other: &Tensor) -> Tensor {
        let (left, right) = (self.shape(), other.shape());
        let (&[m, k], &[rows, n]) = (left, right) else {
            panic!("matmul: {left:?} x {right:?}: both must be matrices");
        };
        if k != rows {
            panic!(
                "matmul: {left:?} x {right:?}: {k} columns meet {rows} rows"
            );
        }
        let (a, b) = (Rc::clone(&self.0.data), Rc::clone(&other.0.data));
        let data = product(&a, &b, [m, k, n]);
        Tensor::from_op("matmul", &[m, n], data, &[self, other], move |g| {
            vec![
                product(g, &transposed(&b, [k, n]), [m, n, k]),
                product(&transposed(&a, [m, k]), g, [k, m, n]),
            ]
        })
    }
    // LEVELS 9-

    /// Computes the logarithm of each row's softmax.
    #[track_caller]
    pub fn log_softmax(&self) -> Tensor {
        let Some(&classes) = self.shape().last() else {
            panic!("log_softmax: a tensor without axes has no row");
        };
        let mut y = self.to_vec();
        for row in y.chunks_mut(classes.max(1)) {
            let most = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            row.iter_mut().for_each(|x| *x -= most);
            let total: f32 = row.iter().map(|x| x.exp()).sum();
            row.iter_mut().for_each(|x| *x -= total.ln());
        }
        let shares: Vec<f32> = y.iter().map(|y| y.exp()).collect();
        Tensor::from_op("log_softmax", self.shape(), y, &[self], move |g| {
            let mut grad = g.to_vec();
            let rows = grad.chunks_mut(classes.max(1));
            for (row, shares) in rows.zip(shares.chunks(classes.max(1))) {
                let total: f32 = row.iter().sum();
                row.iter_mut().zip(shares).for_each(|(g, s)| *g -= s * total);
            }
            vec![grad]
        })
    }

    #[track_caller]
    pub fn softmax(&self) -> Tensor {
        self.log_softmax().exp()
    }

    /// Returns the mean over the rows of the negative log-probability at the
    /// label.
    #[track_caller]
    pub fn cross_entropy(&self, labels: &[usize]) -> Tensor {
        let shape = self.shape();
        let (rows, classes) = match *shape {
            [rows, classes] if classes > 0 => (rows, classes),
            _ => panic!("cross_entropy: {shape:?} is not (rows, classes)"),
        };
        let count = labels.len();
        if rows != count {
            panic!("cross_entropy: {rows} rows of scores, {count} labels");
        }
        let mut at_label = vec![0.0; rows * classes];
        for (row, &label) in labels.iter().enumerate() {
            if label >= classes {
                panic!("cross_entropy: label {label} of {classes} classes");
            }
            at_label[row * classes + label] = 1.0;
        }
        let at_label = Tensor::new(shape, &at_label);
        let share = Tensor::new(&[], &[-1.0 / rows as f32]);
        self.log_softmax().mul(&at_label).sum().mul(&share)
    }
    // LEVELS 1-
}
// LEVELS 8-

/// Multiplies (m, k) x (k, n). The inner loop follows the rows of `b` and of
/// the result, which are contiguous.
fn product(a: &[f32], b: &[f32], [m, k, n]: [usize; 3]) -> Vec<f32> {
    let mut c = vec![0.0; m * n];
    for i in 0..m {
        let row = &mut c[i * n..][..n];
        for l in 0..k {
            let x = a[i * k + l];
            let other = &b[l * n..][..n];
            row.iter_mut().zip(other).for_each(|(c, y)| *c += x * y);
        }
    }
    c
}

fn transposed(a: &[f32], [rows, columns]: [usize; 2]) -> Vec<f32> {
    let at = |i: usize| a[i % rows * columns + i / rows];
    (0..rows * columns).map(at).collect()
}
// LEVELS 10-

/// Linear layers with a ReLU between them.
pub struct Network {
    /// The weight and the bias of each layer.
    parameters: Vec<Tensor>,
    /// One array per parameter, from the first step on.
    velocity: Vec<Vec<f32>>,
}

impl Network {
    /// Draws weights that preserve the variance of a signal.
    pub fn new(sizes: &[usize], random: &mut Random) -> Network {
        let mut parameters = Vec::new();
        for pair in sizes.windows(2) {
            let (inputs, outputs) = (pair[0], pair[1]);
            let deviation = (2.0 / inputs as f32).sqrt();
            let weight: Vec<f32> = (0..inputs * outputs)
                .map(|_| deviation * random.normal())
                .collect();
            parameters.push(Tensor::new(&[inputs, outputs], &weight));
            parameters.push(Tensor::new(&[outputs], &vec![0.0; outputs]));
        }
        Network { parameters, velocity: Vec::new() }
    }

    pub fn forward(&self, x: &Tensor) -> Tensor {
        let mut x = x.clone();
        for (at, layer) in self.parameters.chunks(2).enumerate() {
            if at > 0 {
                x = x.relu();
            }
            x = x.matmul(&layer[0]).add(&layer[1]);
        }
        x
    }

    pub fn parameters(&self) -> Vec<Tensor> {
        self.parameters.clone()
    }

    /// Replaces each parameter by a new leaf, because rules hold the old one.
    pub fn step(&mut self, rate: f32, momentum: f32) {
        let zeros = |it: &Tensor| vec![0.0; it.0.data.len()];
        if self.velocity.is_empty() {
            self.velocity = self.parameters.iter().map(zeros).collect();
        }
        let pairs = self.parameters.iter_mut().zip(&mut self.velocity);
        for (parameter, velocity) in pairs {
            let grad = parameter.grad().expect("step: backward comes first");
            *velocity = zip(velocity, &grad, |v, g| momentum * v + g);
            let better = zip(&parameter.0.data, velocity, |p, v| p - rate * v);
            *parameter = Tensor::new(parameter.shape(), &better);
        }
    }
}
// END LEVELS
