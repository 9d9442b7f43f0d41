//! The reader's engine as the specification takes it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::env;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use rungrad::ops::{Keep, Op};
use rungrad::rng::Random;
use rungrad::tape::Tape;

use crate::table::{Handle, Table, find, there};
use crate::{engine, refusal, tape};
use testkit::calls::Call;
use testkit::engine::Engine;
use testkit::network::Trainable;

/// The levels at which something changes here.
pub(crate) const ORDER: usize = 2;
pub(crate) const SWEEP: usize = 3;
pub(crate) const BROADCAST: usize = 7;

/// The level that is looked at.
static LEVEL: AtomicUsize = AtomicUsize::new(0);

/// What is known of the law that is looked at.
#[derive(Default)]
pub(crate) struct State {
    /// The root of the last sweep, or the tensor that was made last.
    pub(crate) last: Option<Handle>,
    pub(crate) sweeps: usize,
    /// What the last sweep began with.
    pub(crate) seed: Vec<f32>,
    /// The operation that was asked for last, and of what.
    pub(crate) asked: Option<(&'static str, Vec<Handle>)>,
    /// The operations whose name does not say all.
    pub(crate) ops: HashMap<u64, Op>,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// Returns what is known, and forgets it.
pub(crate) fn forget() -> State {
    STATE.take()
}

/// Tells which operation a tensor is known to have been made by.
pub(crate) fn known(id: u64) -> Option<Op> {
    STATE.with_borrow(|state| state.ops.get(&id).cloned())
}

/// Tells whether a level is looked at, or one behind it.
pub(crate) fn is_at(level: usize) -> bool {
    LEVEL.load(Ordering::Relaxed) >= level
}

/// Whether a crash has to be told by the stage at which it came.
static STAGES: AtomicBool = AtomicBool::new(false);

/// Does something whose crash is told by its stage: built, gone back through,
/// freed.
pub(crate) fn in_stages(work: impl FnOnce()) {
    STAGES.store(true, Ordering::Relaxed);
    work();
    STAGES.store(false, Ordering::Relaxed);
}

/// Notes the level that is looked at.
pub(crate) fn climb_to(level: usize) {
    LEVEL.store(level, Ordering::Relaxed);
}

/// Set by the companion: how many levels stood when it looked last.
const STOOD: &str = "RUNGRAD_LEVELS_STOOD";

/// Set to look at everything in full.
static WHOLE: AtomicBool = AtomicBool::new(false);

/// Looks at everything in full from now on.
pub(crate) fn look_at_the_whole() {
    WHOLE.store(true, Ordering::Relaxed);
}

/// Tells whether everything is looked at in full.
pub(crate) fn is_whole() -> bool {
    WHOLE.load(Ordering::Relaxed)
}

/// Tells whether a level stood when it was looked at last.
pub(crate) fn has_stood(level: usize) -> bool {
    let stood = env::var(STOOD).ok().and_then(|it| it.parse::<usize>().ok());
    stood.is_some_and(|stood| stood >= level)
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
            state.sweeps += 1;
        });
    }
}

/// Computes a call, unless the engine lacks the operation.
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
    there(|| match call {
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

/// Says of a call what the name of its operation does not.
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

    /// A verdict comes soon after a save: all cases are tried at the end.
    fn usual(&self) -> u64 {
        match (is_whole(), has_stood(LEVEL.load(Ordering::Relaxed))) {
            (true, _) => 60,
            (false, false) => 15,
            (false, true) => 5,
        }
    }

    fn leaf(&self, shape: &[usize], values: &[f32]) -> Handle {
        self.made((table().new)(shape, values))
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
        // A line made of other operations has the name of its last.
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
            exercises::stage("when it is freed");
        }
    }

    fn backward_with(&self, a: &Handle, shape: &[usize], grad: &[f32]) {
        self.swept(a, grad);
        let grad = (table().new)(shape, grad);
        (table().backward_with)(a, &grad);
    }

    /// Before the sweep has its level, a tape has no gradients.
    fn record(&self, build: impl FnOnce() -> Handle) -> Tape {
        let root = build();
        if is_at(SWEEP) {
            self.backward(&root);
            return tape::judged(tape::swept(&root, &[1.0]));
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
