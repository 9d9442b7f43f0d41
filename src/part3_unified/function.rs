//! The [`Function`] trait and its context, built in "Function and its
//! context".
//!
//! Reading order: the [`Function`] trait, its [`Context`], [`apply`], and
//! the scopes [`no_grad`], [`enable_grad`] and [`trace`].

mod scopes;

use std::cell::RefCell;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

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
/// An operation: how to compute the result, and how to compute the gradients
/// of its inputs. Parameters, such as a target shape, are fields of the
/// implementing type. The page of [`part3_unified`](super) has an example, and
/// the chapter "Add an operator" another. [`gradcheck`](crate::gradcheck())
/// compares the gradients with finite differences.
pub trait Function: Send + Sync + 'static {
    /// Returns the operation and its parameters, for tapes and error messages.
    /// Use `Op::Custom("name")` for a new operation, and `Op::named("mul")`
    /// for your own version of a built-in one.
    fn op(&self) -> Op;

    /// Computes the result, and saves in `ctx` what [`Function::backward`]
    /// needs.
    fn forward(&self, ctx: &mut Context, inputs: &[&Array]) -> Result<Array>;

    /// Computes the gradient of each input from the gradient of the result
    /// (the upstream gradient). It uses tensor operations, so it runs on every
    /// device and can itself be differentiated.
    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> Gradients;
}

/// One gradient per input, in operand order; `None` if the input needs none.
pub type Gradients = Vec<Option<Tensor>>;
// ANCHOR_END: function

impl fmt::Display for dyn Function {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.op().name())
    }
}

// ANCHOR: context
/// The values that the backward pass of one call needs: the nodes of its
/// inputs, which are the edges of the graph, and what the function saved.
pub struct Context {
    /// All inputs if this call is recorded; otherwise empty, because there
    /// will be no backward pass.
    inputs: SmallVec<[Input; 2]>,
    /// The array only. Storing the tensor would create a reference cycle: the
    /// tensor owns its node, and the node owns this context.
    output: Option<Box<Array>>,
    /// The node that owns this context, for [`Context::output`].
    node: Weak<Node>,
}

/// An input of a function and, if it was saved, its storage.
struct Input {
    /// Device, type and view, unless they are the same as in `node`.
    meta: Option<TensorMeta>,
    saved: Option<Shared>,
    /// The input's node in the graph, if it needs a gradient.
    node: Option<Arc<Node>>,
}

impl Context {
    /// Returns `true` if input `i` needs a gradient. If not, skip saving and
    /// computing anything for it.
    pub fn needs(&self, i: usize) -> bool {
        self.inputs.get(i).is_some_and(|input| input.node.is_some())
    }

    /// Saves input `i` for the backward pass. Call it in `forward`.
    #[track_caller]
    pub fn save_input(&mut self, i: usize, array: &Array) {
        if self.records() {
            self.check_index("save_input", i);
            self.inputs[i].save(array);
        }
    }

    /// Saves the result for the backward pass. Call it in `forward`.
    pub fn save_output(&mut self, array: &Array) {
        if self.records() {
            self.output = Some(Box::new(array.clone()));
        }
    }
}
// ANCHOR_END: context

impl Context {
    /// Returns saved input `i`. Call it in `backward`. The tensor is part of
    /// the graph if the backward pass is being recorded.
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

    /// Returns the saved result. Call it in `backward`. The tensor is part of
    /// the graph if the backward pass is being recorded.
    #[track_caller]
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

    /// Returns the shape of input `i`, saved or not. Call it in `backward`.
    #[track_caller]
    pub fn shape(&self, i: usize) -> &[usize] {
        self.check_index("shape", i);
        self.inputs[i].meta().shape()
    }

    /// Returns the device of input `i`. Call it in `backward`.
    #[track_caller]
    pub fn device(&self, i: usize) -> Device {
        self.check_index("device", i);
        self.inputs[i].meta().device
    }

    /// Returns the element type of input `i`. Call it in `backward`.
    #[track_caller]
    pub fn dtype(&self, i: usize) -> DType {
        self.check_index("dtype", i);
        self.inputs[i].meta().dtype
    }
}

impl Context {
    fn new(inputs: &[&Tensor], records: bool) -> Context {
        scope::count_operation();
        let input = |t: &&Tensor| Input {
            meta: t.node.is_none().then(|| TensorMeta::of(&t.array)),
            saved: None,
            node: t.node.clone(),
        };
        let inputs = match records {
            true => inputs.iter().map(input).collect(),
            false => SmallVec::new(),
        };
        Context { inputs, output: None, node: Weak::new() }
    }

    /// Returns `true` if a backward pass through this function is possible.
    fn records(&self) -> bool {
        !self.inputs.is_empty()
    }

    /// Returns the number of inputs. Call it in `backward`.
    pub fn input_count(&self) -> usize {
        self.inputs.len()
    }

    /// Iterates over the inputs that need a gradient, in operand order, with
    /// their indices.
    pub(super) fn edges(&self) -> impl Iterator<Item = (usize, &Arc<Node>)> {
        let nodes = self.inputs.iter().map(|input| &input.node).enumerate();
        nodes.filter_map(|(index, node)| Some((index, node.as_ref()?)))
    }

    #[track_caller]
    fn check_index(&self, caller: &str, i: usize) {
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
    /// Saves the storage, and the view if it differs from the input's.
    #[track_caller]
    fn save(&mut self, array: &Array) {
        self.saved = Some(array.storage().clone());
        if Arc::ptr_eq(&array.view, &self.meta().view) {
            return;
        }
        let (given, shape) = (array.shape(), self.meta().shape());
        if given != shape {
            mistake(format!(
                "Context::save_input: an array of shape {given:?} for an input \
                 of shape {shape:?}; save the input itself"
            ));
        }
        self.meta = Some(TensorMeta::of(array));
    }

    fn meta(&self) -> &TensorMeta {
        let node = || self.node.as_ref().map(|node| &node.meta);
        self.meta.as_ref().or_else(node).expect("one of both")
    }

    fn array(&self) -> Option<Array> {
        let storage = self.saved.clone()?;
        let TensorMeta { device, view, .. } = self.meta().clone();
        Some(Array { device, storage, view })
    }
}

// ANCHOR: node
/// A node of the graph: a leaf, or the result of a recorded function.
pub(super) struct Node {
    pub(super) id: u64,
    /// The device, type and shape that a gradient of this node must have.
    pub(super) meta: TensorMeta,
    pub(super) origin: Origin,
    /// All inputs and the result, if a [`trace`] was active.
    pub(super) traced: Option<Box<TracedCall>>,
}

/// How a node came to be.
pub(super) enum Origin {
    /// Created by the user. Holds the accumulated gradient, which never has a
    /// graph.
    Leaf(Mutex<Option<Tensor>>),
    /// Computed by a function, whose context holds what its backward pass
    /// needs.
    Result(Box<dyn Function>, Context),
}

/// The metadata of an array, without its storage.
#[derive(Clone)]
pub(super) struct TensorMeta {
    pub(super) device: Device,
    pub(super) dtype: DType,
    pub(super) view: Arc<View>,
}
// ANCHOR_END: node

impl TensorMeta {
    fn of(array: &Array) -> TensorMeta {
        let (device, dtype) = (array.device, array.dtype());
        TensorMeta { device, dtype, view: array.view.clone() }
    }

    pub(super) fn shape(&self) -> &[usize] {
        self.view.shape()
    }
}

/// The values that a trace saves for one function call: each input, with the
/// id of its node if it has one, and the result.
pub(super) struct TracedCall {
    pub(super) inputs: Vec<(Option<u64>, Array)>,
    pub(super) output: Array,
}

impl Node {
    pub(super) fn leaf(array: &Array) -> Arc<Node> {
        Arc::new(Node::new(array, Origin::Leaf(Mutex::new(None)), None))
    }

    fn new(
        output: &Array,
        origin: Origin,
        traced: Option<Box<TracedCall>>,
    ) -> Node {
        // Ids increase in creation order, so a node's id is larger than the
        // ids of all its ancestors.
        static NEXT: AtomicU64 = AtomicU64::new(1);
        ledger::count(|c| c.nodes += 1);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        scope::record_creation(id);
        Node { id, meta: TensorMeta::of(output), origin, traced }
    }

    /// Iterates over the storages saved for the backward pass.
    pub(super) fn saved(&self) -> impl Iterator<Item = &Shared> {
        let ctx = self.creator().map(|(_, ctx)| ctx).into_iter();
        ctx.flat_map(|ctx| {
            let inputs =
                ctx.inputs.iter().filter_map(|input| input.saved.as_ref());
            inputs.chain(ctx.output.as_ref().map(|array| array.storage()))
        })
    }

    /// Locks the gradient of a leaf; returns `None` for other nodes. A
    /// poisoned lock is ignored: if adding a gradient panicked, the stored
    /// value is still complete or absent.
    pub(super) fn grad(&self) -> Option<MutexGuard<'_, Option<Tensor>>> {
        match &self.origin {
            Origin::Leaf(grad) => {
                Some(grad.lock().unwrap_or_else(PoisonError::into_inner))
            }
            Origin::Result(..) => None,
        }
    }

    /// Returns the function that computed this node, with its context, or
    /// `None` for a leaf.
    pub(super) fn creator(&self) -> Option<(&dyn Function, &Context)> {
        match &self.origin {
            Origin::Leaf(_) => None,
            Origin::Result(function, ctx) => Some((&**function, ctx)),
        }
    }

    /// Returns the node of the first input at index `k` or later that needs a
    /// gradient. A caller that counts `k` up visits all parents in operand
    /// order, some of them more than once.
    pub(super) fn parent(&self, k: usize) -> Option<&Arc<Node>> {
        let (_, ctx) = self.creator()?;
        ctx.inputs.get(k..)?.iter().find_map(|input| input.node.as_ref())
    }
}

/// Frees a chain of nodes of any length iteratively, on the thread that drops
/// its last owner. A node owns its parents through its context, and may own
/// other nodes through tensors stored in its function. Recursive drops would
/// overflow the stack on a long chain, so each drop moves what the node owned
/// to `WAITING`, and the outermost drop empties that list.
impl Drop for Node {
    fn drop(&mut self) {
        ledger::count(|c| c.nodes_freed += 1);
        let Origin::Result(function, ctx) = &mut self.origin else { return };
        let edges =
            ctx.inputs.iter_mut().map(|input| (input.node.take(), None));
        // A function without fields cannot own a tensor.
        let may_own_tensors = size_of_val(&**function) > 0;
        let function = may_own_tensors
            .then(|| std::mem::replace(function, Box::new(Constant)));
        let owned =
            edges.chain(function.map(|function| (None, Some(function))));
        let is_inner = WAITING.try_with(|list| match &mut *list.borrow_mut() {
            Some(waiting) => {
                waiting.extend(owned);
                true
            }
            list => {
                *list = Some(owned.collect());
                false
            }
        });
        // In an inner drop, the outermost one frees the list. During thread
        // exit the list may already be destroyed; then drop recursively.
        if is_inner != Ok(false) {
            return;
        }
        let _rest = FreeRest;
        free_waiting();
    }
}

/// Frees the rest of the list when the `Drop` of a user's function panics: the
/// unwinding drops this guard.
struct FreeRest;

impl Drop for FreeRest {
    fn drop(&mut self) {
        free_waiting();
        WAITING.set(None);
    }
}

fn free_waiting() {
    let pop = |list: &mut Option<Waiting>| list.as_mut()?.pop();
    while let Some(next) = WAITING.with_borrow_mut(pop) {
        drop(next);
    }
}

/// Nodes and functions waiting to be freed. A chain needs one entry at a time,
/// so the list stays inline and does not allocate.
type Waiting = SmallVec<[(Option<Arc<Node>>, Option<Box<dyn Function>>); 4]>;

// ANCHOR: apply
/// Runs a function's forward pass. If recording is on and an input needs a
/// gradient, the result gets a graph node that holds the function and its
/// context; otherwise the context is dropped here.
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
    let traced = TRACING.get().then(|| {
        let inputs = inputs.iter().map(|t| (t.id(), t.array.clone()));
        let inputs = inputs.collect();
        Box::new(TracedCall { inputs, output: array.clone() })
    });
    let node = Arc::new_cyclic(|node| {
        if ctx.output.is_some() {
            ctx.node = node.clone();
        }
        Node::new(&array, Origin::Result(Box::new(function), ctx), traced)
    });
    Ok(Tensor { array, node: Some(node) })
}

/// Like [`try_apply`], but panics at the caller's line instead of returning an
/// error. Operations use it, because they do not return a `Result`.
#[track_caller]
pub fn apply(function: impl Function, inputs: &[&Tensor]) -> Tensor {
    caller::note();
    or_raise(try_apply(function, inputs))
}
// ANCHOR_END: apply

thread_local! {
    /// `Some` while this thread is freeing a node: what remains to be freed.
    static WAITING: RefCell<Option<Waiting>> = const { RefCell::new(None) };
}
