//! A function and its context, built in chapter 23.
//!
//! Reading order: the [`Function`] trait, its [`Context`], [`apply`], and
//! the two scopes [`no_grad`] and [`trace`].

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::{Array, Tensor};
use crate::error::{Error, mistake, or_raise};
use crate::ledger;
use crate::ops::Op;

// ANCHOR: function
/// An operation: how to compute it, and how its gradient flows. Parameters,
/// such as a target shape, are fields of the implementing type.
pub trait Function: Send + Sync + 'static {
    /// The name on tapes and in messages.
    fn name(&self) -> &'static str;

    /// The operation with its parameters, as tapes record it.
    fn op(&self) -> Op {
        Op::named(self.name())
    }

    /// Computes the result on arrays, and saves in `ctx` what
    /// [`Function::backward`] will ask for.
    fn forward(
        &self,
        ctx: &mut Context,
        inputs: &[&Array],
    ) -> Result<Array, Error>;

    /// Turns the gradient of the result into one gradient for each input,
    /// `None` where none is needed. Written with tensor operations, so it
    /// runs on every device and can itself be differentiated.
    fn backward(&self, ctx: &Context, grad_out: &Tensor)
    -> Vec<Option<Tensor>>;
}
// ANCHOR_END: function

// ANCHOR: context
/// What a function keeps between forward and backward.
pub struct Context {
    /// The inputs that need a gradient: their places and their nodes.
    pub(super) edges: Vec<(usize, Arc<Node>)>,
    inputs: Vec<Option<Array>>,
    /// The array alone. A tensor would hold the node that holds this
    /// context, and the three would never be freed.
    output: Option<Array>,
    node: Weak<Node>,
}

impl Context {
    /// Whether input `i` needs a gradient. Save and compute nothing for one
    /// that does not.
    pub fn needs(&self, i: usize) -> bool {
        self.edges.iter().any(|(place, _)| *place == i)
    }

    /// In forward: keeps input `i` for backward.
    #[track_caller]
    pub fn save_input(&mut self, i: usize, array: &Array) {
        self.check_place(i);
        self.inputs[i] = Some(array.clone());
    }

    /// In forward: keeps the result for backward.
    pub fn save_output(&mut self, array: &Array) {
        self.output = Some(array.clone());
    }

    /// In backward: input `i` as a tensor of the graph.
    #[track_caller]
    pub fn input(&self, i: usize) -> Tensor {
        let Some(array) = self.inputs.get(i).cloned().flatten() else {
            mistake(format!(
                "Context::input({i}): forward did not save it; call \
                 save_input({i}, ..) there"
            ))
        };
        let edge = self.edges.iter().find(|(place, _)| *place == i);
        Tensor { array, node: edge.map(|(_, node)| node.clone()) }
    }

    /// In backward: the result as a tensor of the graph.
    pub fn output(&self) -> Tensor {
        let Some(array) = self.output.clone() else {
            mistake(
                "Context::output(): forward did not save it; call \
                 save_output(..) there"
                    .to_string(),
            )
        };
        Tensor { array, node: self.node.upgrade() }
    }
}
// ANCHOR_END: context

impl Context {
    #[track_caller]
    fn check_place(&self, i: usize) {
        if i >= self.inputs.len() {
            mistake(format!(
                "Context::save_input({i}, ..): there are {} inputs, counted \
                 from 0",
                self.inputs.len()
            ));
        }
    }
}

// ANCHOR: node
/// A place in the graph: a leaf, or a function with its context.
pub(super) struct Node {
    pub(super) id: u64,
    /// None for a leaf.
    pub(super) made: Option<(Box<dyn Function>, Context)>,
    /// Kept by leaves only, and never with a graph of its own.
    grad: Mutex<Option<Tensor>>,
    /// All inputs and the result, when a [`trace`] was open.
    pub(super) kept: Option<Kept>,
}
// ANCHOR_END: node

/// What a trace keeps of one application: each input with its node's id, if
/// it has one, and the result.
pub(super) struct Kept {
    pub(super) inputs: Vec<(Option<u64>, Array)>,
    pub(super) output: Array,
}

impl Node {
    pub(super) fn leaf() -> Arc<Node> {
        Arc::new(Node::new(None, None))
    }

    fn new(
        made: Option<(Box<dyn Function>, Context)>,
        kept: Option<Kept>,
    ) -> Node {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        ledger::count(|c| c.nodes += 1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        Node { id, made, grad: Mutex::new(None), kept }
    }

    /// The kept gradient. A panic that interrupted its holder, a device that
    /// refused the addition, has left it whole or absent.
    pub(super) fn grad(&self) -> MutexGuard<'_, Option<Tensor>> {
        self.grad.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The inputs that need a gradient, in operand order.
    pub(super) fn edges(&self) -> &[(usize, Arc<Node>)] {
        self.made.as_ref().map_or(&[], |(_, ctx)| &ctx.edges)
    }
}

/// Frees a chain of any length in a loop, on whichever thread lets go of it
/// last. A node holds others by its edges, and by its function where a
/// reader's own holds tensors: so while one is freed, those that it lets go
/// of wait for their turn.
impl Drop for Node {
    fn drop(&mut self) {
        ledger::count(|c| c.nodes_freed += 1);
        let mut next = self.made.take();
        if next.is_none() {
            return;
        }
        let is_inner = WAITING.try_with(|list| match &mut *list.borrow_mut() {
            Some(waiting) => {
                waiting.extend(next.take());
                true
            }
            list => {
                *list = Some(Vec::new());
                false
            }
        });
        // At the end of a thread its list may be gone already.
        if is_inner != Ok(false) {
            return;
        }
        while let Some(made) = next {
            drop(made);
            let pop = |waiting: &mut Vec<_>| waiting.pop();
            next = WAITING.with_borrow_mut(|list| list.as_mut().and_then(pop));
        }
        WAITING.set(None);
    }
}

// ANCHOR: apply
/// Runs a function forward and, when any input needs a gradient, puts its
/// context into the graph. Otherwise the context is dropped here, and with
/// it the way back.
#[track_caller]
pub fn apply(function: impl Function, inputs: &[&Tensor]) -> Tensor {
    let edges = match RECORDING.get() {
        true => needing(inputs),
        false => Vec::new(),
    };
    let records = !edges.is_empty();
    let saved = vec![None; inputs.len()];
    let node = Weak::new();
    let mut ctx = Context { edges, inputs: saved, output: None, node };
    let arrays: Vec<&Array> = inputs.iter().map(|t| &t.array).collect();
    let array = or_raise(function.forward(&mut ctx, &arrays));
    if !records {
        return Tensor { array, node: None };
    }
    let kept = TRACING.get().then(|| Kept {
        inputs: inputs.iter().map(|t| (t.id(), t.array.clone())).collect(),
        output: array.clone(),
    });
    let node = Arc::new_cyclic(|node| {
        ctx.node = node.clone();
        Node::new(Some((Box::new(function), ctx)), kept)
    });
    Tensor { array, node: Some(node) }
}

fn needing(inputs: &[&Tensor]) -> Vec<(usize, Arc<Node>)> {
    let places = inputs.iter().enumerate();
    places.filter_map(|(i, t)| Some((i, t.node.clone()?))).collect()
}
// ANCHOR_END: apply

/// What a node holds: a function, and what it kept for its way back.
type Work = (Box<dyn Function>, Context);

thread_local! {
    /// What waits to be freed, while something is.
    static WAITING: RefCell<Option<Vec<Work>>> = const { RefCell::new(None) };
    static RECORDING: Cell<bool> = const { Cell::new(true) };
    static TRACING: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` without recording: its results have no way back.
pub fn no_grad<T>(work: impl FnOnce() -> T) -> T {
    scoped(&RECORDING, false, work)
}

/// Runs `work` with or without recording.
pub(super) fn recording<T>(on: bool, work: impl FnOnce() -> T) -> T {
    scoped(&RECORDING, on, work)
}

/// Runs `work` and keeps every value on the way, so that a tape taken of its
/// results shows them all.
pub fn trace<T>(work: impl FnOnce() -> T) -> T {
    scoped(&TRACING, true, work)
}

/// Sets a switch of this thread while `work` runs, also when it panics.
fn scoped<T>(
    switch: &'static std::thread::LocalKey<Cell<bool>>,
    on: bool,
    work: impl FnOnce() -> T,
) -> T {
    struct Restore(&'static std::thread::LocalKey<Cell<bool>>, bool);
    impl Drop for Restore {
        fn drop(&mut self) {
            self.0.set(self.1);
        }
    }
    let _restore = Restore(switch, switch.replace(on));
    work()
}
