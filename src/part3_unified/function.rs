//! A function and its context, built in the chapter of this name.
//!
//! Reading order: the [`Function`] trait, its [`Context`], [`apply`], and
//! the two scopes [`no_grad`] and [`trace`].

use std::cell::{Cell, RefCell};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use super::{Array, Device, Tensor};
use crate::error::{Result, mistake, or_raise};
use crate::ledger;
use crate::ops::Op;

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
    inputs: Vec<Input>,
    /// The array alone. A tensor would hold the node that holds this
    /// context, and the three would never be freed.
    output: Option<Array>,
    node: Weak<Node>,
}

/// An input of a function: what it is like, and, where it was saved, itself.
struct Input {
    shape: Vec<usize>,
    device: Device,
    /// Its place in the graph, if it needs a gradient.
    node: Option<Arc<Node>>,
    saved: Option<Array>,
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
            self.inputs[i].saved = Some(array.clone());
        }
    }

    /// Keeps the result for backward; to be called in forward.
    pub fn save_output(&mut self, array: &Array) {
        if self.records() {
            self.output = Some(array.clone());
        }
    }
}
// ANCHOR_END: context

// ANCHOR: context-back
impl Context {
    /// Returns, in backward, input `i` as a tensor of the graph.
    #[track_caller]
    pub fn input(&self, i: usize) -> Tensor {
        let input = self.inputs.get(i);
        let Some(array) = input.and_then(|input| input.saved.clone()) else {
            mistake(format!(
                "Context::input({i}): forward did not save it; call \
                 save_input({i}, ..) there"
            ))
        };
        Tensor { array, node: input.and_then(|input| input.node.clone()) }
    }

    /// Returns, in backward, the result as a tensor of the graph.
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

    /// Returns, in backward, the shape of input `i`, whether it was saved or
    /// not.
    #[track_caller]
    pub fn shape(&self, i: usize) -> &[usize] {
        self.check_place("shape", i);
        &self.inputs[i].shape
    }

    /// Returns, in backward, the device of input `i`.
    #[track_caller]
    pub fn device(&self, i: usize) -> Device {
        self.check_place("device", i);
        self.inputs[i].device
    }
}
// ANCHOR_END: context-back

impl Context {
    fn new(inputs: &[&Tensor], records: bool) -> Context {
        let input = |t: &&Tensor| Input {
            shape: t.shape().to_vec(),
            device: t.device(),
            node: t.node.clone(),
            saved: None,
        };
        let inputs = match records {
            true => inputs.iter().map(input).collect(),
            false => Vec::new(),
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

// ANCHOR: node
/// A place in the graph: a leaf, or a function with its context.
pub(super) struct Node {
    pub(super) id: u64,
    /// What a gradient of it must be like.
    pub(super) shape: Vec<usize>,
    pub(super) device: Device,
    /// None for a leaf.
    pub(super) creator: Option<Creator>,
    /// Kept by leaves only, and never with a graph of its own.
    grad: Mutex<Option<Tensor>>,
    /// All inputs and the result, when a [`trace`] was open.
    pub(super) kept: Option<Kept>,
}

/// A function, and what it kept for its way back.
pub(super) type Creator = (Box<dyn Function>, Context);
// ANCHOR_END: node

/// What a trace keeps of one application: each input with its node's id, if
/// it has one, and the result.
pub(super) struct Kept {
    pub(super) inputs: Vec<(Option<u64>, Array)>,
    pub(super) output: Array,
}

impl Node {
    pub(super) fn leaf(array: &Array) -> Arc<Node> {
        Arc::new(Node::new(array, None, None))
    }

    fn new(
        output: &Array,
        creator: Option<Creator>,
        kept: Option<Kept>,
    ) -> Node {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        ledger::count(|c| c.nodes += 1);
        Node {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            shape: output.shape().to_vec(),
            device: output.device(),
            creator,
            grad: Mutex::new(None),
            kept,
        }
    }

    /// Returns the kept gradient. A panic that interrupted its holder, a
    /// device that refused the addition, has left it whole or absent.
    pub(super) fn grad(&self) -> MutexGuard<'_, Option<Tensor>> {
        self.grad.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Finds the first input from the k-th on that needs a gradient. Whoever
    /// counts k up meets them all in operand order, some of them twice.
    pub(super) fn parent(&self, k: usize) -> Option<&Arc<Node>> {
        let (_, ctx) = self.creator.as_ref()?;
        ctx.inputs.get(k..)?.iter().find_map(|input| input.node.as_ref())
    }

    /// Counts the inputs, of which some need a gradient.
    pub(super) fn inputs(&self) -> usize {
        self.creator.as_ref().map_or(0, |(_, ctx)| ctx.len())
    }
}

/// Frees a chain of any length in a loop, on whichever thread lets go of it
/// last. A node holds others by its edges, and by its function where a
/// reader's own holds tensors: so while one is freed, those that it lets go
/// of wait for their turn.
impl Drop for Node {
    fn drop(&mut self) {
        ledger::count(|c| c.nodes_freed += 1);
        let mut next = self.creator.take();
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
        while let Some(creator) = next {
            drop(creator);
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
pub fn try_apply(
    function: impl Function,
    inputs: &[&Tensor],
) -> Result<Tensor> {
    let needed = inputs.iter().any(|input| input.node.is_some());
    let mut ctx = Context::new(inputs, needed && RECORDING.get());
    let arrays: Vec<&Array> = inputs.iter().map(|t| &t.array).collect();
    let array = function.forward(&mut ctx, &arrays)?;
    if !ctx.records() {
        return Ok(Tensor { array, node: None });
    }
    let kept = TRACING.get().then(|| Kept {
        inputs: inputs.iter().map(|t| (t.id(), t.array.clone())).collect(),
        output: array.clone(),
    });
    let node = Arc::new_cyclic(|node| {
        ctx.node = node.clone();
        Node::new(&array, Some((Box::new(function), ctx)), kept)
    });
    Ok(Tensor { array, node: Some(node) })
}

/// Does the same for operations, which have no `Result`: an error is raised at
/// the caller's line.
#[track_caller]
pub fn apply(function: impl Function, inputs: &[&Tensor]) -> Tensor {
    or_raise(try_apply(function, inputs))
}
// ANCHOR_END: apply

thread_local! {
    /// What waits to be freed, while something is.
    static WAITING: RefCell<Option<Vec<Creator>>> =
        const { RefCell::new(None) };
    static RECORDING: Cell<bool> = const { Cell::new(true) };
    static TRACING: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work` without recording: its results have no way back.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor, no_grad};
/// let x = Tensor::new(&[1], &[3.0], Device::Cpu)?.requires_grad();
/// assert!(!no_grad(|| &x * &x).records());
/// # Ok::<(), rungrad::Error>(())
/// ```
pub fn no_grad<T>(work: impl FnOnce() -> T) -> T {
    scoped(&RECORDING, false, work)
}

/// Runs `work` with or without recording.
pub(super) fn recording<T>(on: bool, work: impl FnOnce() -> T) -> T {
    scoped(&RECORDING, on, work)
}

/// Runs `work` and keeps every value on the way, so that a tape taken of its
/// results shows them all.
///
/// ```
/// # use rungrad::part3_unified::{Device, Tensor, trace};
/// let x = Tensor::new(&[1], &[3.0], Device::Cpu)?.requires_grad();
/// let tape = trace(|| (&x * &x).backward_recorded());
/// assert_eq!(tape.records[1].values, Some(vec![9.0]));
/// # Ok::<(), rungrad::Error>(())
/// ```
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
