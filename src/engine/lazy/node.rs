//! A storage that is either evaluated or a node of a graph of pending
//! operations.

use std::fmt;
use std::mem::Discriminant;
use std::panic::Location;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use smallvec::SmallVec;

use super::{
    Array, Binary, DType, Fused, Reduce, Shared, Storage, Unary, downcast,
};
use crate::engine::opencl::DeviceIndices;
use crate::error::Result;
use crate::part3_unified::caller;
use crate::shape::size;

/// A storage whose values are evaluated on demand.
pub(super) struct Lazy {
    len: usize,
    dtype: DType,
    /// The device that will evaluate it; `None` if it was created evaluated.
    device: Option<&'static Fused>,
    state: Mutex<State>,
    /// The last round of counting that has visited it.
    counted: AtomicU64,
    /// Its index in the graph that was captured last.
    index: AtomicUsize,
}

pub(super) enum State {
    Ready(Shared),
    Pending(Arc<LazyNode>),
}

/// A pending operation.
pub(super) struct LazyNode {
    pub(super) op: LazyOp,
    pub(super) shape: SmallVec<[usize; 4]>,
    /// Smallest id among the pending nodes that it depends on. Ids are
    /// consecutive, so `id - oldest` bounds the size of its graph.
    oldest: u64,
    id: u64,
    /// The line of the program that called the operation.
    pub(super) caller: Option<&'static Location<'static>>,
}

// ANCHOR: what
pub(super) enum LazyOp {
    Constant(f32),
    Unary(Unary, Array),
    Binary(Binary, [Array; 2]),
    Where([Array; 3]),
    View(Array),
    Reduce(Reduce, Array, [usize; 2]),
    IndexSelect(IndexList, Array, usize),
    IndexAdd(IndexList, Array, usize),
}
// ANCHOR_END: what

/// Indices where the kernels of the base device can read them.
#[derive(Clone)]
pub(super) enum IndexList {
    Uploaded(Arc<DeviceIndices>),
    Host(Arc<[usize]>),
}

impl IndexList {
    pub(super) fn len(&self) -> usize {
        match self {
            IndexList::Uploaded(indices) => indices.len(),
            IndexList::Host(indices) => indices.len(),
        }
    }

    pub(super) fn uploaded(&self) -> Option<&DeviceIndices> {
        match self {
            IndexList::Uploaded(indices) => Some(indices),
            IndexList::Host(_) => None,
        }
    }

    pub(super) fn host(&self) -> Option<&[usize]> {
        match self {
            IndexList::Host(indices) => Some(indices),
            IndexList::Uploaded(_) => None,
        }
    }
}

/// Maximum number of nodes that are evaluated together. The kernel of a larger
/// graph would have too many arguments for some devices.
const MAX_NODES: u64 = 64;

impl Lazy {
    pub(super) fn ready(storage: Shared) -> Shared {
        let kind = (storage.len(), storage.dtype());
        Lazy::shared(kind, None, State::Ready(storage))
    }

    pub(super) fn pending(device: &'static Fused, node: LazyNode) -> Shared {
        let kind = (size(&node.shape), DType::F32);
        Lazy::shared(kind, Some(device), State::Pending(Arc::new(node)))
    }

    fn shared(
        (len, dtype): (usize, DType),
        device: Option<&'static Fused>,
        state: State,
    ) -> Shared {
        let (counted, index) = Default::default();
        let state = Mutex::new(state);
        Arc::new(Lazy { len, dtype, device, state, counted, index })
    }

    /// Returns its index in the graph that was captured last. The caller must
    /// check it, because that may be a different graph.
    pub(super) fn index_hint(&self) -> usize {
        self.index.load(Ordering::Relaxed)
    }

    pub(super) fn set_index_hint(&self, index: usize) {
        self.index.store(index, Ordering::Relaxed);
    }

    /// Returns the size of its graph, without nodes that were already counted
    /// in this round, and the smallest id in it.
    fn count(&self, round: u64) -> (u64, u64) {
        if self.counted.swap(round, Ordering::Relaxed) == round {
            return (0, u64::MAX);
        }
        match &*self.state() {
            State::Pending(node) if !node.is_constant() => node.count(round),
            _ => (1, u64::MAX),
        }
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns its value if it is a constant.
    pub(super) fn constant(&self) -> Option<f32> {
        match &*self.state() {
            State::Pending(node) => match node.op {
                LazyOp::Constant(constant) => Some(constant),
                _ => None,
            },
            State::Ready(_) => None,
        }
    }

    /// Returns the storage of the base device if it is evaluated.
    pub(super) fn evaluated(&self) -> Option<Shared> {
        match &*self.state() {
            State::Ready(storage) => Some(storage.clone()),
            State::Pending(_) => None,
        }
    }

    /// Returns the storage of the base device; evaluates it first if
    /// necessary.
    pub(super) fn computed(&self) -> Result<Shared> {
        match (self.evaluated(), self.device) {
            (Some(storage), _) => Ok(storage),
            (None, Some(device)) => device.compute_one(self),
            (None, None) => unreachable!("a pending storage has a device"),
        }
    }

    /// Changes the values of an evaluated storage that is not shared.
    pub(super) fn change(
        &self,
        change: impl FnOnce(&mut dyn Storage) -> Result<()>,
    ) -> Result<()> {
        match &mut *self.state() {
            State::Ready(storage) => change(
                Arc::get_mut(storage).expect("the storage is not shared"),
            ),
            State::Pending(_) => unreachable!("the storage is evaluated"),
        }
    }
}

impl Storage for Lazy {
    fn len(&self) -> usize {
        self.len
    }

    fn dtype(&self) -> DType {
        self.dtype
    }
}

impl fmt::Debug for Lazy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.evaluated() {
            Some(storage) => storage.fmt(f),
            None => write!(f, "{} pending elements", self.len),
        }
    }
}

impl LazyNode {
    pub(super) fn new(op: LazyOp, shape: &[usize]) -> LazyNode {
        let shape = shape.into();
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let node = LazyNode { op, shape, oldest: 0, id, caller: caller() };
        node.with_oldest()
    }

    /// Computes `oldest` from the operands.
    pub(super) fn with_oldest(mut self) -> LazyNode {
        static ROUND: AtomicU64 = AtomicU64::new(1);
        let operands = self.operands().iter().map(oldest);
        self.oldest = operands.fold(self.id, u64::min);
        if self.id - self.oldest >= MAX_NODES {
            let round = ROUND.fetch_add(1, Ordering::Relaxed);
            let (count, oldest) = self.count(round);
            // Unrelated nodes got ids in between, so the bound was loose.
            self.oldest = oldest.max(self.id.saturating_sub(count));
        }
        self
    }

    /// If the graph is too large for a kernel, returns the operand with the
    /// largest pending graph, which should be evaluated first.
    pub(super) fn operand_to_evaluate(&self) -> Option<&Array> {
        let is_pending = |operand: &&Array| oldest(operand) < u64::MAX;
        let largest = || {
            let pending = self.operands().iter().filter(is_pending);
            pending.min_by_key(|operand| oldest(operand))
        };
        (self.id - self.oldest >= MAX_NODES).then(largest).flatten()
    }

    /// Returns the size of its graph, without nodes that were already counted
    /// in this round, and the smallest id in it.
    fn count(&self, round: u64) -> (u64, u64) {
        let operands = self.operands().iter();
        let lazies = operands.map(|a| downcast::<Lazy>(&**a.storage()));
        let counts = lazies.map(|lazy| lazy.count(round));
        counts.fold((1, self.id), |(sum, first), (count, oldest)| {
            (sum + count, first.min(oldest))
        })
    }

    /// Returns whether it is a constant.
    pub(super) fn is_constant(&self) -> bool {
        matches!(self.op, LazyOp::Constant(_))
    }

    pub(super) fn operands(&self) -> &[Array] {
        match &self.op {
            LazyOp::Constant(_) => &[],
            LazyOp::Binary(_, pair) => pair,
            LazyOp::Where(all) => all,
            LazyOp::Unary(_, a)
            | LazyOp::View(a)
            | LazyOp::Reduce(_, a, _)
            | LazyOp::IndexSelect(_, a, _)
            | LazyOp::IndexAdd(_, a, _) => std::slice::from_ref(a),
        }
    }

    /// Returns the constant of the operation, if it has one.
    pub(super) fn constant(&self) -> Option<f32> {
        match &self.op {
            LazyOp::Constant(constant) => Some(*constant),
            LazyOp::Unary(op, _) => op.constant().map(|it| it as f32),
            _ => None,
        }
    }

    /// Returns the indices that it reads.
    pub(super) fn integers(&self) -> Option<&IndexList> {
        match &self.op {
            LazyOp::IndexSelect(indices, ..)
            | LazyOp::IndexAdd(indices, ..) => Some(indices),
            _ => None,
        }
    }

    /// Returns the operation without its constant.
    pub(super) fn kind(&self) -> Kind {
        match &self.op {
            LazyOp::Constant(_) => Kind::Constant,
            LazyOp::Unary(op, _) => Kind::Unary(std::mem::discriminant(op)),
            LazyOp::Binary(op, _) => Kind::Binary(*op),
            LazyOp::Where(_) => Kind::Where,
            LazyOp::View(_) => Kind::View,
            LazyOp::Reduce(op, _, [rows, columns]) => {
                Kind::Reduce(*op, *rows, *columns)
            }
            LazyOp::IndexSelect(_, _, width) => Kind::IndexSelect(*width),
            LazyOp::IndexAdd(_, _, block) => Kind::IndexAdd(*block),
        }
    }
}

/// Returns the smallest id in the pending graph of an array, or `u64::MAX` if
/// nothing is pending.
fn oldest(array: &Array) -> u64 {
    match &*downcast::<Lazy>(&**array.storage()).state() {
        // Constants do not count as nodes of a kernel.
        State::Pending(node) if !node.is_constant() => node.oldest,
        _ => u64::MAX,
    }
}

/// An operation without its constant, as part of a cache key.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    Evaluated,
    Constant,
    Unary(Discriminant<Unary>),
    Binary(Binary),
    Where,
    View,
    Reduce(Reduce, usize, usize),
    IndexSelect(usize),
    IndexAdd(usize),
}
