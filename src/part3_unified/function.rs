//! A function and its context, built in the chapter of this name.
//!
//! Reading order: the [`Function`] trait, its [`Context`], [`apply`], and
//! the scopes [`no_grad`], [`enable_grad`] and [`trace`].

mod scopes;

use std::cell::RefCell;
use std::panic::{catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::{fmt, thread};

use smallvec::SmallVec;

pub(super) use scopes::recording;
use scopes::{RECORDING, TRACING};
pub use scopes::{enable_grad, no_grad, trace};

use super::backward::Constant;
use super::{Array, DType, Device, Shared, Tensor, View, caller};
use crate::error::{Result, mistake, or_raise};
use crate::ledger;
use crate::ops::Op;
use crate::scope;

// ANCHOR: function
/// An operation: how to compute it, and how its gradient flows. Parameters,
/// such as a target shape, are fields of the implementing type. The page
/// "Add an operator" adds one; `examples/part3_spiral` has another.
pub trait Function: Send + Sync + 'static {
    /// Returns the operation with its parameters, as tapes record it and
    /// messages call it. One of your own is `Op::Custom("name")`;
    /// `Op::named("mul")` is for a rule of your own for an operation that is
    /// known already.
    fn op(&self) -> Op;

    /// Computes the result on arrays, and saves in `ctx` what
    /// [`Function::backward`] will ask for.
    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array>;

    /// Turns the gradient of the result into one gradient for each input.
    /// Written with tensor operations, so it runs on every device and can
    /// itself be differentiated.
    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients;
}

/// One gradient for each input, in operand order; `None` where none is
/// needed.
pub type Gradients = Vec<Option<Tensor>>;
// ANCHOR_END: function

impl fmt::Display for dyn Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.op().name())
    }
}

// ANCHOR: context
/// What a function keeps between forward and backward.
pub struct Context {
    /// Every input, where any needs a gradient; otherwise none, because
    /// there is no way back.
    inputs: SmallVec<[Input; 2]>,
    /// The array alone. A tensor would hold the node that holds this
    /// context, and the three would never be freed.
    output: Option<Box<Array>>,
    node: Weak<Node>,
}

/// An input of a function, and, where it was saved, its numbers.
struct Input {
    /// What it is like, where its node does not say it.
    like: Option<Like>,
    saved: Option<Shared>,
    /// Its place in the graph, if it needs a gradient.
    node: Option<Arc<Node>>,
}

impl Context {
    /// Says whether input `i` needs a gradient. Save and compute nothing for
    /// one that does not.
    pub fn needs(&self, i: usize) -> bool {
        self.inputs.get(i).is_some_and(|input| input.node.is_some())
    }

    /// Keeps input `i` for backward; to be called in forward.
    #[track_caller]
    pub fn save_input(&mut self, i: usize, array: &Array) {
        if self.records() {
            self.check_place("save_input", i);
            self.inputs[i].save(array);
        }
    }

    /// Keeps the result for backward; to be called in forward.
    pub fn save_output(&mut self, array: &Array) {
        if self.records() {
            self.output = Some(Box::new(array.clone()));
        }
    }
}
// ANCHOR_END: context

// ANCHOR: context-back
impl Context {
    /// Returns, in backward, input `i`: a tensor of the graph, if backward is
    /// recorded.
    #[track_caller]
    pub fn input(&self, i: usize) -> Tensor {
        let input = self.inputs.get(i);
        let Some(array) = input.and_then(Input::array) else {
            mistake(format!(
                "Context::input({i}): forward did not save it; call \
                 save_input({i}, ..) there"
            ))
        };
        let node = input.and_then(|input| input.node.as_ref());
        Tensor { array, node: node.filter(|_| RECORDING.get()).cloned() }
    }

    /// Returns, in backward, the result as a tensor of the graph.
    pub fn output(&self) -> Tensor {
        let Some(array) = self.output.as_deref().cloned() else {
            mistake(
                "Context::output(): forward did not save it; call \
                 save_output(..) there"
                    .to_string(),
            )
        };
        let node = self.node.upgrade().filter(|_| RECORDING.get());
        Tensor { array, node }
    }

    /// Returns, in backward, the shape of input `i`, whether it was saved or
    /// not.
    #[track_caller]
    pub fn shape(&self, i: usize) -> &[usize] {
        self.check_place("shape", i);
        self.inputs[i].like().shape()
    }

    /// Returns, in backward, the device of input `i`.
    #[track_caller]
    pub fn device(&self, i: usize) -> Device {
        self.check_place("device", i);
        self.inputs[i].like().device
    }

    /// Returns, in backward, the type of the numbers of input `i`.
    #[track_caller]
    pub fn dtype(&self, i: usize) -> DType {
        self.check_place("dtype", i);
        self.inputs[i].like().dtype
    }
}
// ANCHOR_END: context-back

impl Context {
    fn new(inputs: &[&Tensor], records: bool) -> Context {
        scope::ran();
        let input = |t: &&Tensor| Input {
            like: t.node.is_none().then(|| Like::of(&t.array)),
            saved: None,
            node: t.node.clone(),
        };
        let inputs = match records {
            true => inputs.iter().map(input).collect(),
            false => SmallVec::new(),
        };
        Context { inputs, output: None, node: Weak::new() }
    }

    /// Says whether there is a way back.
    fn records(&self) -> bool {
        !self.inputs.is_empty()
    }

    /// Counts the inputs.
    pub(super) fn len(&self) -> usize {
        self.inputs.len()
    }

    /// Lists the inputs that need a gradient, in operand order.
    pub(super) fn edges(&self) -> impl Iterator<Item = (usize, &Arc<Node>)> {
        let nodes = self.inputs.iter().map(|input| &input.node).enumerate();
        nodes.filter_map(|(place, node)| Some((place, node.as_ref()?)))
    }

    #[track_caller]
    fn check_place(&self, caller: &str, i: usize) {
        if i >= self.inputs.len() {
            mistake(format!(
                "Context::{caller}({i}, ..): there are {} inputs, counted \
                 from 0",
                self.inputs.len()
            ));
        }
    }
}

impl Input {
    /// Saves the numbers, which are then seen as they were given.
    #[track_caller]
    fn save(&mut self, array: &Array) {
        self.saved = Some(array.storage().clone());
        if Arc::ptr_eq(&array.view, &self.like().view) {
            return;
        }
        let (given, shape) = (array.shape(), self.like().shape());
        if given != shape {
            mistake(format!(
                "Context::save_input: an array of shape {given:?} for an input \
                 of shape {shape:?}; save the input itself"
            ));
        }
        self.like = Some(Like::of(array));
    }

    fn like(&self) -> &Like {
        let node = || self.node.as_ref().map(|node| &node.like);
        self.like.as_ref().or_else(node).expect("one of both")
    }

    fn array(&self) -> Option<Array> {
        let storage = self.saved.clone()?;
        let Like { device, view, .. } = self.like().clone();
        Some(Array { device, storage, view })
    }
}

// ANCHOR: node
/// A place in the graph.
pub(super) struct Node {
    pub(super) id: u64,
    /// What a gradient of it must be like.
    pub(super) like: Like,
    pub(super) origin: Origin,
    /// All inputs and the result, when a [`trace`] was open.
    pub(super) kept: Option<Box<Kept>>,
}

/// Where a node comes from.
pub(super) enum Origin {
    /// It was given. Its gradient never has a graph of its own.
    Leaf(Mutex<Option<Tensor>>),
    /// It was computed, by a function that kept something for its way back.
    Result(Box<dyn Function>, Context),
}

/// An array without its numbers.
#[derive(Clone)]
pub(super) struct Like {
    pub(super) device: Device,
    pub(super) dtype: DType,
    pub(super) view: Arc<View>,
}
// ANCHOR_END: node

impl Like {
    fn of(array: &Array) -> Like {
        let (device, dtype) = (array.device, array.dtype());
        Like { device, dtype, view: array.view.clone() }
    }

    pub(super) fn shape(&self) -> &[usize] {
        self.view.shape()
    }
}

/// What a trace keeps of one application: each input with its node's id, if
/// it has one, and the result.
pub(super) struct Kept {
    pub(super) inputs: Vec<(Option<u64>, Array)>,
    pub(super) output: Array,
}

impl Node {
    pub(super) fn leaf(array: &Array) -> Arc<Node> {
        Arc::new(Node::new(array, Origin::Leaf(Mutex::new(None)), None))
    }

    fn new(output: &Array, origin: Origin, kept: Option<Box<Kept>>) -> Node {
        // Parents come first: an id is larger than those that it depends on.
        static NEXT: AtomicU64 = AtomicU64::new(1);
        ledger::count(|c| c.nodes += 1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        scope::made(id);
        Node { id, like: Like::of(output), origin, kept }
    }

    /// Lists the storages that are kept for its way back.
    pub(super) fn saved(&self) -> impl Iterator<Item = &Shared> {
        let ctx = self.creator().map(|(_, ctx)| ctx).into_iter();
        ctx.flat_map(|ctx| {
            let inputs = ctx.inputs.iter().filter_map(|it| it.saved.as_ref());
            inputs.chain(ctx.output.as_ref().map(|array| array.storage()))
        })
    }

    /// Locks the gradient of a leaf. A panic that interrupted its holder, a
    /// device that refused the addition, has left it whole or absent.
    pub(super) fn grad(&self) -> Option<MutexGuard<'_, Option<Tensor>>> {
        match &self.origin {
            Origin::Leaf(grad) => {
                Some(grad.lock().unwrap_or_else(PoisonError::into_inner))
            }
            Origin::Result(..) => None,
        }
    }

    /// Returns the function that computed it, and its context; a leaf has
    /// none.
    pub(super) fn creator(&self) -> Option<(&dyn Function, &Context)> {
        match &self.origin {
            Origin::Leaf(_) => None,
            Origin::Result(function, ctx) => Some((&**function, ctx)),
        }
    }

    /// Finds the first input from the k-th on that needs a gradient. Whoever
    /// counts k up meets them all in operand order, some of them twice.
    pub(super) fn parent(&self, k: usize) -> Option<&Arc<Node>> {
        let (_, ctx) = self.creator()?;
        ctx.inputs.get(k..)?.iter().find_map(|input| input.node.as_ref())
    }
}

/// Frees a chain of any length in a loop, on the thread that drops its last
/// owner. A node owns its parents by its edges, and may own others by the
/// tensors in its function. Dropped recursively, a long chain would overflow
/// the stack, so what a node owned is put into the list `WAITING`, which the
/// outermost drop empties.
impl Drop for Node {
    fn drop(&mut self) {
        ledger::count(|c| c.nodes_freed += 1);
        let Origin::Result(function, ctx) = &mut self.origin else { return };
        let edges = ctx.inputs.iter_mut().map(|it| (it.node.take(), None));
        // What has no fields holds nothing.
        let holds = size_of_val(&**function) > 0;
        let own =
            holds.then(|| std::mem::replace(function, Box::new(Constant)));
        let held = edges.chain(own.map(|function| (None, Some(function))));
        let is_inner = WAITING.try_with(|list| match &mut *list.borrow_mut() {
            Some(waiting) => {
                waiting.extend(held);
                true
            }
            list => {
                *list = Some(held.collect());
                false
            }
        });
        // At the end of a thread its list may be gone already.
        if is_inner != Ok(false) {
            return;
        }
        let pop = |list: &mut Option<Waiting>| list.as_mut()?.pop();
        let free = || {
            while let Some(next) = WAITING.with_borrow_mut(pop) {
                drop(next);
            }
        };
        // A function of the user may panic in its drop. The others are freed
        // all the same, and the first panic continues after them.
        let mut first = None;
        while let Err(panic) = catch_unwind(free) {
            first.get_or_insert(panic);
        }
        WAITING.set(None);
        if let Some(panic) = first
            // A second panic during unwinding would abort the process.
            && !thread::panicking()
        {
            resume_unwind(panic);
        }
    }
}

/// Nodes and functions to be freed. A chain has one entry at a time, so it
/// needs no heap memory.
type Waiting = SmallVec<[(Option<Arc<Node>>, Option<Box<dyn Function>>); 4]>;

// ANCHOR: apply
/// Runs a function forward and, when any input needs a gradient, puts its
/// context into the graph. Otherwise the context is dropped here, and with
/// it the way back.
pub fn try_apply(
    function: impl Function,
    inputs: &[&Tensor],
) -> Result<Tensor> {
    let needed = inputs.iter().any(|input| input.node.is_some());
    let mut ctx = Context::new(inputs, needed && RECORDING.get());
    let arrays: SmallVec<[&Array; 4]> =
        inputs.iter().map(|t| &t.array).collect();
    let array = function.forward(&mut ctx, &arrays)?;
    if !ctx.records() {
        return Ok(Tensor { array, node: None });
    }
    let kept = TRACING.get().then(|| {
        let inputs = inputs.iter().map(|t| (t.id(), t.array.clone()));
        Box::new(Kept { inputs: inputs.collect(), output: array.clone() })
    });
    let node = Arc::new_cyclic(|node| {
        if ctx.output.is_some() {
            ctx.node = node.clone();
        }
        Node::new(&array, Origin::Result(Box::new(function), ctx), kept)
    });
    Ok(Tensor { array, node: Some(node) })
}

/// Does the same for operations, which have no `Result`: an error is raised at
/// the caller's line.
#[track_caller]
pub fn apply(function: impl Function, inputs: &[&Tensor]) -> Tensor {
    caller::note();
    or_raise(try_apply(function, inputs))
}
// ANCHOR_END: apply

thread_local! {
    /// What is still to be freed, while this thread frees a node.
    static WAITING: RefCell<Option<Waiting>> = const { RefCell::new(None) };
}
