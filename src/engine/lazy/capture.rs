//! Collects the pending graph of a node, as an expression and as its cache
//! key.

use std::sync::Arc;

use smallvec::SmallVec;

use super::node::{IndexList, Kind, Lazy, LazyNode, LazyOp, State};
use super::schedule::Operation;
use super::{Array, Reduce, Shared, downcast};
use crate::engine::lazy::compiler::{Expression, Join, Node, Operand, Step};
use crate::error::Result;
use crate::part3_unified::runs;

/// The pending graph of a node, in topological order: each step comes after
/// its operands.
#[derive(Default)]
pub(super) struct CapturedGraph {
    pub(super) steps: Vec<CapturedStep>,
    /// The constants of the steps.
    pub(super) numbers: Vec<f32>,
    /// The index lists of the steps.
    pub(super) integers: Vec<IndexList>,
    pub(super) key: Vec<Token>,
}

pub(super) struct CapturedStep {
    /// `None` for the root.
    pub(super) storage: Option<Shared>,
    /// The pending node, or the evaluated storage.
    pub(super) node: Result<Arc<LazyNode>, Shared>,
    operands: SmallVec<[usize; 3]>,
    /// How often other steps use it.
    uses: usize,
}

/// An element of the cache key, which contains everything that the text of the
/// kernels depends on.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Token {
    Kind(Kind),
    Size(usize),
    Stride(isize),
    Live(bool),
}

impl CapturedGraph {
    /// Captures the pending graph of a node.
    pub(super) fn capture(root: Arc<LazyNode>) -> CapturedGraph {
        let mut graph = CapturedGraph::default();
        graph.add(None, Ok(root));
        // ANCHOR: held
        for step in &graph.steps {
            let is_live = match (&step.storage, &step.node) {
                (_, Err(_)) => continue,
                (None, _) => true,
                // A constant is never stored.
                (_, Ok(node)) if node.is_constant() => false,
                // The graph itself holds one reference.
                (Some(storage), _) => {
                    Arc::strong_count(storage) > step.uses + 1
                }
            };
            graph.key.push(Token::Live(is_live));
        }
        // ANCHOR_END: held
        graph
    }

    /// Returns the step of a storage; adds it if it is new.
    fn visit(&mut self, storage: &Shared) -> usize {
        let lazy = downcast::<Lazy>(&**storage);
        let hint = lazy.index_hint();
        let is_same = |other: &Shared| Arc::ptr_eq(other, storage);
        if let Some(step) = self.steps.get_mut(hint)
            && step.storage.as_ref().is_some_and(is_same)
        {
            step.uses += 1;
            return hint;
        }
        let node = match &*lazy.state() {
            State::Ready(evaluated) => Err(evaluated.clone()),
            State::Pending(node) => Ok(node.clone()),
        };
        let index = self.add(Some(storage.clone()), node);
        lazy.set_index_hint(index);
        index
    }

    fn add(
        &mut self,
        storage: Option<Shared>,
        node: Result<Arc<LazyNode>, Shared>,
    ) -> usize {
        let mut operands = SmallVec::new();
        match &node {
            Err(evaluated) => {
                self.key.push(Token::Kind(Kind::Evaluated));
                self.key.push(Token::Size(evaluated.len()));
            }
            Ok(node) => {
                for operand in node.operands() {
                    operands.push(self.visit(operand.storage()));
                }
                self.add_to_key(node, &operands);
            }
        }
        self.steps.push(CapturedStep { storage, node, operands, uses: 1 });
        self.steps.len() - 1
    }

    /// Adds a node to the key, and its constant and indices to the lists.
    fn add_to_key(&mut self, node: &LazyNode, operands: &[usize]) {
        let key = &mut self.key;
        key.push(Token::Kind(node.kind()));
        key.extend(node.shape.iter().map(|&size| Token::Size(size)));
        for (operand, step) in node.operands().iter().zip(operands) {
            key.push(Token::Size(*step));
            let is_whole = operand.offset() == 0
                && operand.is_dense()
                && operand.len() == operand.storage().len();
            if !is_whole {
                let (shape, strides) = (operand.shape(), operand.strides());
                key.push(Token::Stride(operand.offset() as isize));
                key.extend(shape.iter().map(|&size| Token::Size(size)));
                key.extend(strides.iter().map(|&step| Token::Stride(step)));
            }
        }
        self.numbers.extend(node.constant());
        if let Some(integers) = node.integers() {
            key.push(Token::Size(integers.len()));
            self.integers.push(integers.clone());
        }
    }

    /// Returns the graph as an expression for the planner.
    pub(super) fn expression(&self) -> Expression<Operation> {
        let live: Vec<bool> = self
            .key
            .iter()
            .filter_map(|token| match token {
                Token::Live(is_live) => Some(*is_live),
                _ => None,
            })
            .collect();
        let (mut slot, mut integers, mut live) =
            (0..self.numbers.len(), 0..self.integers.len(), live.into_iter());
        let nodes = self.steps.iter().enumerate().map(|(index, step)| {
            let node = match &step.node {
                Ok(node) => node,
                Err(evaluated) => {
                    let shape = SmallVec::from_slice(&[evaluated.len()]);
                    let step = Step::Given(index);
                    return Node { step, shape, held: false };
                }
            };
            let held = live.next().unwrap_or(true);
            let slot = node.constant().and_then(|_| slot.next());
            let integers = node.integers().and_then(|_| integers.next());
            let operand = |which: usize| {
                operand(&node.operands()[which], step.operands[which])
            };
            let all = || (0..step.operands.len()).map(operand).collect();
            let integers = integers.unwrap_or(0);
            let step = match &node.op {
                LazyOp::Constant(_) => {
                    Step::Number(slot.expect("a constant has a slot"))
                }
                LazyOp::Unary(op, _) => {
                    let op = Operation::Unary(op.with_constant(0.0));
                    Step::Apply(op, all(), slot)
                }
                LazyOp::Binary(op, _) => {
                    Step::Apply(Operation::Binary(*op), all(), None)
                }
                LazyOp::Where(_) => Step::Apply(Operation::Where, all(), None),
                LazyOp::View(_) => Step::View(operand(0)),
                LazyOp::Reduce(op, _, sizes) => {
                    Step::Join(join(*op), operand(0), *sizes)
                }
                LazyOp::IndexSelect(_, _, width) => {
                    Step::Pick(integers, operand(0), *width)
                }
                LazyOp::IndexAdd(_, _, block) => {
                    Step::Spread(integers, operand(0), *block)
                }
            };
            Node { step, shape: node.shape.clone(), held }
        });
        Expression(nodes.collect())
    }
}

fn join(op: Reduce) -> Join {
    match op {
        Reduce::Sum => Join::Sum,
        Reduce::Max => Join::Max,
    }
}

/// Describes the view of an operand, with all axes merged that can be.
fn operand(array: &Array, step: usize) -> Operand {
    let runs = runs([array.view()]);
    Operand {
        step,
        shape: runs.iter().map(|run| run.0).collect(),
        strides: runs.iter().map(|run| run.1[0]).collect(),
        offset: array.offset(),
    }
}
