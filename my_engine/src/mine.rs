//! Implements the specification's interface with the reader's engine.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::env;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rungrad::ops::{Keep, Op};
use rungrad::rng::Random;
use rungrad::tape::Tape;

use crate::table::{Handle, Table, find, if_written};
use crate::{engine, refusal, tape};
use testkit::calls::Call;
use testkit::engine::Engine;
use testkit::network::Trainable;

/// The levels from which the checks in this file change.
pub(crate) const ORDER: usize = 2;
pub(crate) const SWEEP: usize = 3;
pub(crate) const BROADCAST: usize = 7;

/// The level that is being checked.
static LEVEL: AtomicUsize = AtomicUsize::new(0);

/// What is recorded while a law runs.
#[derive(Default)]
pub(crate) struct State {
    /// The root of the last backward pass, or the tensor created last.
    pub(crate) last: Option<Handle>,
    /// The leaves created since the last backward pass, those created between
    /// it and the one before, and all earlier ones.
    new_leaves: Vec<u64>,
    swept_leaves: Option<Vec<u64>>,
    old_leaves: HashSet<u64>,
    /// The upstream gradient of the last backward pass.
    pub(crate) seed: Vec<f32>,
    /// The operation that is running, and its operands.
    pub(crate) asked: Option<(&'static str, Vec<Handle>)>,
    /// By tensor id, the operations whose name alone lacks their parameters.
    pub(crate) ops: HashMap<u64, Op>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

impl State {
    /// Returns whether the last backward pass was the first one that reached
    /// the leaves of this graph.
    pub(crate) fn is_swept_once(&self, root: &Handle) -> bool {
        self.swept_leaves.is_some()
            && !tape::leaves(root).any(|id| self.old_leaves.contains(&id))
    }
}

/// Returns what was recorded and resets it.
pub(crate) fn take_state() -> State {
    STATE.take()
}

/// Returns the operation that made a tensor, if it was recorded.
pub(crate) fn known(id: u64) -> Option<Op> {
    STATE.with_borrow(|state| state.ops.get(&id).cloned())
}

/// Returns whether the level being checked is `level` or a later one.
pub(crate) fn has_reached(level: usize) -> bool {
    LEVEL.load(Ordering::Relaxed) >= level
}

/// Whether a crash must be reported with the stage in which it happened.
static STAGES: AtomicBool = AtomicBool::new(false);

/// Runs `work`, whose crash is reported with its stage: building the graph,
/// backward, or freeing it.
pub(crate) fn in_stages(work: impl FnOnce()) {
    STAGES.store(true, Ordering::Relaxed);
    work();
    STAGES.store(false, Ordering::Relaxed);
}

/// Sets the level that is being checked.
pub(crate) fn set_level(level: usize) {
    LEVEL.store(level, Ordering::Relaxed);
}

/// Set by the companion to the number of levels that passed last time.
const LEVELS_PASSED: &str = "RUNGRAD_LEVELS_STOOD";

/// Whether every law runs in full.
static IN_FULL: AtomicBool = AtomicBool::new(false);

/// From now on, runs every law in full.
pub(crate) fn check_in_full() {
    IN_FULL.store(true, Ordering::Relaxed);
}

/// Returns whether every law runs in full.
pub(crate) fn checks_in_full() -> bool {
    IN_FULL.load(Ordering::Relaxed)
}

/// Returns whether a level passed last time.
pub(crate) fn has_passed(level: usize) -> bool {
    let passed =
        env::var(LEVELS_PASSED).ok().and_then(|it| it.parse::<usize>().ok());
    passed.is_some_and(|passed| passed >= level)
}

fn table() -> &'static Table {
    engine()
}

/// The reader's engine.
pub(crate) struct Mine;

impl Mine {
    fn made(&self, tensor: Handle) -> Handle {
        STATE.with_borrow_mut(|state| state.last = Some(tensor.clone()));
        tensor
    }

    fn swept(&self, root: &Handle, seed: &[f32]) {
        STATE.with_borrow_mut(|state| {
            state.last = Some(root.clone());
            state.seed = seed.to_vec();
            let new = std::mem::take(&mut state.new_leaves);
            let before = state.swept_leaves.replace(new);
            state.old_leaves.extend(before.into_iter().flatten());
        });
    }
}

/// Computes a call, or returns `None` if the engine lacks the operation.
pub(crate) fn call(call: &Call, of: &[&Handle]) -> Option<Handle> {
    let table = table();
    let axes = || 0..(table.shape)(of[0]).len();
    let over = |name: &str, whole: &str, axes_: &[usize], keep: Keep| {
        let is_whole = keep == Keep::No && axes().eq(axes_.iter().copied());
        match (is_whole, find(table.one, whole)) {
            (true, Some(whole)) => Some(whole(of[0])),
            _ => Some(find(table.over, name)?(of[0], axes_, keep)),
        }
    };
    if_written(|| match call {
        Call::Mul | Call::Add | Call::Sub | Call::Div | Call::Matmul => {
            Some(find(table.two, call.name())?(of[0], of[1]))
        }
        Call::Each(_) | Call::Transpose | Call::Softmax | Call::LogSoftmax => {
            Some(find(table.one, call.name())?(of[0]))
        }
        Call::Pow(number) => Some((table.pow)(of[0], *number)),
        Call::Sum(axes, keep) => over("sum_over", "sum", axes, *keep),
        Call::Mean(axes, keep) => over("mean_over", "mean", axes, *keep),
        Call::Max(axes, keep) => over("max_over", "max", axes, *keep),
        Call::Reshape(list) | Call::CrossEntropy(list) => {
            Some(find(table.many, call.name())?(of[0], list))
        }
    })?
}

/// Returns the operation with its parameters, if the name alone lacks them.
fn op(call: &Call, rank: usize) -> Option<Op> {
    Some(match call {
        Call::Pow(number) => Op::Pow(*number),
        Call::Sum(axes, keep) => Op::Sum(axes.clone(), *keep),
        Call::Max(axes, keep) => Op::Max(axes.clone(), *keep),
        Call::Reshape(shape) => Op::Reshape(shape.clone()),
        Call::Transpose => {
            let mut axes: Vec<usize> = (0..rank).collect();
            axes.swap(rank - 2, rank - 1);
            Op::Permute(axes)
        }
        _ => return None,
    })
}

impl Engine for Mine {
    type Tensor = Handle;

    fn name(&self) -> String {
        "your engine".to_string()
    }

    #[track_caller]
    fn refusal<T>(&self, what: &str, work: impl FnOnce() -> T) -> String {
        refusal::refusal(what, work)
    }

    #[track_caller]
    fn says(&self, message: &str, expected: &str) {
        refusal::begins(message, expected);
    }

    #[track_caller]
    fn begins(&self, message: &str, expected: &str) {
        refusal::begins(message, expected);
    }

    #[track_caller]
    fn names(&self, message: &str, words: &[&str]) {
        refusal::names(message, words);
    }

    /// Few cases, so that the verdict appears soon after a save. The last
    /// level's check runs all of them.
    fn usual(&self) -> u64 {
        match (checks_in_full(), has_passed(LEVEL.load(Ordering::Relaxed))) {
            (true, _) => 60,
            (false, false) => 15,
            (false, true) => 5,
        }
    }

    fn leaf(&self, shape: &[usize], values: &[f32]) -> Handle {
        let leaf = (table().new)(shape, values);
        let id = (table().id)(&leaf);
        STATE.with_borrow_mut(|state| state.new_leaves.push(id));
        self.made(leaf)
    }

    fn mul(&self, a: &Handle, b: &Handle) -> Handle {
        let mul = find(table().two, "mul").expect("it is in the table");
        self.made(mul(a, b))
    }

    fn sum(&self, a: &Handle) -> Handle {
        let sum = find(table().one, "sum").expect("it is in the table");
        self.made(sum(a))
    }

    fn call(&self, what: &Call, operands: &[&Handle]) -> Option<Handle> {
        let of = operands.iter().copied().cloned().collect();
        STATE.with_borrow_mut(|it| it.asked = Some((what.name(), of)));
        let result = self.made(call(what, operands)?);
        STATE.with_borrow_mut(|it| it.asked = None);
        let name = (table().op)(&result);
        let op = op(what, (table().shape)(operands[0]).len());
        // A composition has the name of its last operation.
        if let Some(op) = op.filter(|_| name == what.name()) {
            let id = (table().id)(&result);
            STATE.with_borrow_mut(|state| state.ops.insert(id, op));
        }
        Some(result)
    }

    fn shape(&self, a: &Handle) -> Vec<usize> {
        (table().shape)(a)
    }

    fn values(&self, a: &Handle) -> Vec<f32> {
        (table().to_vec)(a)
    }

    fn grad(&self, a: &Handle) -> Option<Vec<f32>> {
        (table().grad)(a)
    }

    fn zero_grad(&self, a: &Handle) {
        (table().zero_grad)(a);
    }

    fn backward(&self, a: &Handle) {
        self.swept(a, &[1.0]);
        let tells = STAGES.load(Ordering::Relaxed);
        if tells {
            exercises::stage("in backward");
        }
        (table().backward)(a);
        if tells {
            exercises::stage("while it is freed");
        }
    }

    fn backward_with(&self, a: &Handle, shape: &[usize], grad: &[f32]) {
        self.swept(a, grad);
        let grad = (table().new)(shape, grad);
        (table().backward_with)(a, &grad);
    }

    /// Before the level of backward, a tape has no gradients.
    fn record(&self, build: impl FnOnce() -> Handle) -> Tape {
        let root = build();
        if has_reached(SWEEP) {
            self.backward(&root);
            return tape::without_unknown_ops(tape::with_gradients(
                &root,
                &[1.0],
            ));
        }
        tape::values(&root)
    }
}

impl Trainable for Mine {
    type Network = Handle;

    fn network(&self, sizes: &[usize], random: &mut Random) -> Handle {
        (table().network)(sizes, random)
    }

    fn forward(&self, network: &Handle, x: &Handle) -> Handle {
        self.made((table().forward)(network, x))
    }

    fn parameters(&self, network: &Handle) -> Vec<Handle> {
        (table().parameters)(network)
    }

    fn step(&self, network: &Handle, rate: f32, momentum: f32) {
        (table().step)(network, rate, momentum);
    }
}
