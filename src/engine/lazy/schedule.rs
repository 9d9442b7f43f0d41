//! Plans the kernels for a graph, caches them, and launches them.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::panic::Location;
use std::sync::{Arc, PoisonError};

use smallvec::SmallVec;

use super::capture::{CapturedGraph, Token};
use super::node::{IndexList, Lazy, LazyNode, LazyOp, State};
use super::{
    Array, Binary, DType, Fused, Reduce, Shared, Unary, downcast, loops,
};
use crate::engine::lazy::compiler::{
    Formula, Join, Number, Plan, Space, Step, Written,
};
use crate::error::{Error, Result};

/// An elementwise operation of a plan. Its constant is stored separately.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operation {
    Unary(Unary),
    Binary(Binary),
    Where,
}

/// The kernels of recent graphs, by the key of the graph.
#[derive(Default)]
pub(super) struct ScheduleCache {
    schedules: HashMap<Vec<Token>, Schedule, BuildHasherDefault<FastHasher>>,
    /// How many graphs have been evaluated.
    evaluations: usize,
}

/// Maximum number of graphs whose kernels are kept. A program may evaluate
/// graphs of ever new shapes, such as a text that grows.
const MAX_SCHEDULES: usize = 1024;

impl ScheduleCache {
    /// Makes room for another schedule: if the cache is full, frees those that
    /// none of the last evaluations has used.
    fn make_room(&mut self) {
        if self.schedules.len() < MAX_SCHEDULES {
            return;
        }
        let oldest = self.evaluations.saturating_sub(MAX_SCHEDULES / 2);
        self.schedules.retain(|_, schedule| schedule.last_used > oldest);
    }
}

/// The kernels of a graph.
struct Schedule {
    stages: Vec<Stage>,
    /// The constants of the first graph with this key.
    numbers: Vec<f32>,
    /// Which constants have had different values since. They are arguments of
    /// the kernels; the others are literals in the text.
    vary: Vec<bool>,
    /// The number of the evaluation that used it last.
    last_used: usize,
}

enum Stage {
    /// A kernel, and the steps that it stores. `written` is its text; on the
    /// CPU there is none, and the plan is run by `loops`.
    Kernel {
        plan: Box<Plan<Operation>>,
        written: Option<Written>,
        stored: Vec<(usize, usize)>,
    },
    /// The second pass of a reduction whose rows were split into parts.
    SecondPass { step: usize, join: Join, sizes: [usize; 2] },
}

/// A fast hasher. The keys do not come from an attacker, so it need not resist
/// collisions.
#[derive(Default)]
pub(super) struct FastHasher(u64);

impl Hasher for FastHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u64(byte.into()));
    }

    fn write_u64(&mut self, word: u64) {
        let mixed =
            (self.0.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 29);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn write_isize(&mut self, word: isize) {
        self.write_u64(word as u64);
    }
}

impl Schedule {
    /// Plans the kernels. A step that cannot be computed in the same kernel as
    /// its users gets a kernel before them.
    fn new(fused: &Fused, graph: &CapturedGraph, vary: Vec<bool>) -> Schedule {
        let mut expression = graph.expression();
        let root = expression.0.len() - 1;
        let (mut stages, mut unplanned) = (vec![], vec![root]);
        while let Some(&step) = unplanned.last() {
            let plan = match expression.plan(step) {
                Ok(plan) => plan,
                Err(before) => {
                    debug_assert!(
                        before < step,
                        "a step comes after its operands"
                    );
                    unplanned.push(before);
                    continue;
                }
            };
            unplanned.pop();
            let stored: Vec<(usize, usize)> = plan.stored().collect();
            let numbers = graph.numbers.iter().zip(&vary);
            let numbers: Vec<Number> = numbers
                .map(|(number, vary)| {
                    if *vary { Number::Given } else { Number::Written(*number) }
                })
                .collect();
            let shape =
                |step: usize| format!("{:?}", &expression.0[step].shape[..]);
            let written = fused.generate(&plan, &numbers, &shape);
            let second_pass = match (&expression.0[step].step, plan.space()) {
                (Step::Join(join, ..), Space::Rows { rows, .. })
                    if plan.parts() > 1 =>
                {
                    let sizes = [rows, plan.parts()];
                    Some(Stage::SecondPass { step, join: *join, sizes })
                }
                _ => None,
            };
            for (step, _) in &stored {
                let node = &mut expression.0[*step];
                node.step = Step::Given(*step);
            }
            let plan = Box::new(plan);
            stages.push(Stage::Kernel { plan, written, stored });
            stages.extend(second_pass);
        }
        let numbers = graph.numbers.clone();
        Schedule { stages, numbers, vary, last_used: 0 }
    }
}

impl Fused {
    /// Evaluates a storage, unless it is evaluated.
    pub(super) fn compute(&self, storage: &Shared) -> Result<Shared> {
        downcast::<Lazy>(&**storage).computed()
    }

    /// Evaluates a storage, and the values of its graph that are live.
    pub(super) fn compute_one(&self, lazy: &Lazy) -> Result<Shared> {
        // Only one thread evaluates at a time, so that two graphs with common
        // nodes do not compute them twice.
        let mut schedules =
            self.schedules.lock().unwrap_or_else(PoisonError::into_inner);
        let node = match &*lazy.state() {
            State::Ready(storage) => return Ok(storage.clone()),
            State::Pending(node) => node.clone(),
        };
        let caller = node.caller;
        let result = self.evaluate(&mut schedules, lazy, node);
        result.map_err(|error| with_caller(error, caller))
    }

    fn evaluate(
        &self,
        cache: &mut ScheduleCache,
        lazy: &Lazy,
        node: Arc<LazyNode>,
    ) -> Result<Shared> {
        if let LazyOp::Constant(number) = node.op {
            let storage = self.base()?.upload(&[number], DType::F32)?;
            *lazy.state() = State::Ready(storage.clone());
            return Ok(storage);
        }
        if let Some(result) = self.single_operation(&node)? {
            *lazy.state() = State::Ready(result.clone());
            return Ok(result);
        }
        let graph = CapturedGraph::capture(node);
        cache.evaluations += 1;
        let schedule = match cache.schedules.get_mut(&graph.key) {
            Some(schedule) => {
                schedule.adapt(self, &graph);
                schedule
            }
            None => {
                cache.make_room();
                let vary = vec![false; graph.numbers.len()];
                let schedule = Schedule::new(self, &graph, vary);
                let key = graph.key.clone();
                cache.schedules.entry(key).or_insert(schedule)
            }
        };
        schedule.last_used = cache.evaluations;
        let mut slots: Vec<Option<Shared>> = graph
            .steps
            .iter()
            .map(|step| step.node.as_ref().err().cloned())
            .collect();
        for stage in &schedule.stages {
            self.run(stage, &graph, &schedule.vary, &mut slots)?;
        }
        for (step, slot) in graph.steps.iter().zip(&slots) {
            let (Some(storage), Some(result), Ok(_)) =
                (&step.storage, slot, &step.node)
            else {
                continue;
            };
            let lazy = downcast::<Lazy>(&**storage);
            *lazy.state() = State::Ready(result.clone());
        }
        let result = slots.pop().flatten().expect("the root is stored");
        *lazy.state() = State::Ready(result.clone());
        Ok(result)
    }

    /// Computes a single operation on evaluated operands on the base device,
    /// which has kernels for it. Returns `None` for any other node.
    fn single_operation(&self, node: &LazyNode) -> Result<Option<Shared>> {
        let mut operands: SmallVec<[Array; 3]> = SmallVec::new();
        for operand in node.operands() {
            let lazy = downcast::<Lazy>(&**operand.storage());
            let Some(storage) = lazy.evaluated() else { return Ok(None) };
            operands.push(operand.with_storage(self.base, storage));
        }
        // For strided operands, a generated kernel is faster.
        let is_dense = operands.iter().all(Array::is_dense);
        let is_elementwise = matches!(
            node.op,
            LazyOp::Unary(..) | LazyOp::Binary(..) | LazyOp::Where(_)
        );
        if is_elementwise && !is_dense {
            return Ok(None);
        }
        let base = self.base()?;
        let result = match (&node.op, &operands[..]) {
            (LazyOp::Unary(op, _), [a]) => base.unary(*op, a),
            (LazyOp::Binary(op, _), [a, b]) => base.binary(*op, a, b),
            (LazyOp::Where(_), [mask, a, b]) => base.where_cond(mask, a, b),
            (LazyOp::View(_), [a]) => base.copy(a),
            (LazyOp::Reduce(op, _, [rows, columns]), [a]) => {
                base.reduce(*op, a, *rows, *columns)
            }
            (LazyOp::IndexSelect(IndexList::Host(indices), ..), [a]) => {
                base.index_select(a, indices)
            }
            (LazyOp::IndexSelect(IndexList::Uploaded(indices), ..), [a]) => {
                match self.gpu()? {
                    Some(gpu) => {
                        gpu.gather_rows_uploaded(a, indices, indices.len())
                    }
                    None => return Ok(None),
                }
            }
            _ => return Ok(None),
        };
        result.map(Some)
    }

    /// Runs a stage. `slots` has the storages of the steps that are evaluated.
    fn run(
        &self,
        stage: &Stage,
        graph: &CapturedGraph,
        vary: &[bool],
        slots: &mut [Option<Shared>],
    ) -> Result<()> {
        let evaluated = |slots: &[Option<Shared>], step: usize| {
            slots[step].clone().expect("an earlier stage computed it")
        };
        match stage {
            Stage::SecondPass { step, join, sizes } => {
                let parts = evaluated(slots, *step);
                let a = Array::dense(self.base, parts, sizes);
                let op = match join {
                    Join::Sum => Reduce::Sum,
                    Join::Max => Reduce::Max,
                };
                let [rows, columns] = *sizes;
                let whole = self.base()?.reduce(op, &a, rows, columns)?;
                slots[*step] = Some(whole);
            }
            Stage::Kernel { plan, written, stored } => {
                let [integers, inputs] = plan.read();
                let integers = integers.map(|list| &graph.integers[list]);
                let inputs: SmallVec<[Shared; 8]> =
                    inputs.map(|step| evaluated(slots, step)).collect();
                let numbers = &graph.numbers;
                let results = match (written, self.gpu()?) {
                    (Some(written), Some(gpu)) => {
                        let args = numbers.iter().zip(vary);
                        let args = args
                            .filter(|(_, vary)| **vary)
                            .map(|(number, _)| *number);
                        let lengths = plan.lengths();
                        gpu.run_generated(
                            written,
                            integers.filter_map(IndexList::uploaded),
                            &inputs,
                            lengths,
                            args,
                        )?
                    }
                    _ => {
                        let integers: Vec<&[usize]> =
                            integers.filter_map(IndexList::host).collect();
                        loops::run(plan, &inputs, &integers, numbers)?
                    }
                };
                for ((step, _), result) in stored.iter().zip(results) {
                    slots[*step] = Some(result);
                }
            }
        }
        Ok(())
    }

    /// Generates the kernel of a plan if the base device is an OpenCL device.
    fn generate(
        &self,
        plan: &Plan<Operation>,
        numbers: &[Number],
        shape: &dyn Fn(usize) -> String,
    ) -> Option<Written> {
        let limits = self.gpu().ok().flatten()?.limits();
        let team = match plan.space() {
            Space::Each(_) => limits.generated_kernel(1, 1, false),
            Space::Rows { rows, segment, .. } => {
                let (rows, across) = (rows * plan.parts(), plan.lies_across());
                limits.generated_kernel(rows, segment, across)
            }
        };
        Some(plan.write(formula, numbers, team, shape))
    }
}

// ANCHOR: late
/// Adds to the error of a deferred operation the line of the program that
/// called it.
pub(super) fn with_caller(
    error: Error,
    caller: Option<&'static Location<'static>>,
) -> Error {
    match (error, caller) {
        (Error::Device(sentence), Some(caller)) => Error::Device(format!(
            "{sentence} (it was to compute what {}:{} asked for)",
            caller.file(),
            caller.line()
        )),
        (error, _) => error,
    }
}
// ANCHOR_END: late

/// Returns the OpenCL C formula of an operation.
fn formula(op: Operation) -> Formula {
    match op {
        Operation::Unary(op) => Formula::new(op.name(), op.formula()),
        Operation::Binary(op) => Formula::new(op.name(), op.formula()),
        Operation::Where => Formula::CHOICE,
    }
}

// ANCHOR: adapt
impl Schedule {
    /// If a constant differs from the first graph, turns it into an argument
    /// from now on and generates the kernels again.
    fn adapt(&mut self, fused: &Fused, graph: &CapturedGraph) {
        let now = graph.numbers.iter().zip(&self.numbers);
        let differ = now.map(|(now, first)| now.to_bits() != first.to_bits());
        let vary: Vec<bool> =
            differ.zip(&self.vary).map(|(now, ever)| now || *ever).collect();
        if vary != self.vary {
            let numbers = std::mem::take(&mut self.numbers);
            *self = Schedule::new(fused, graph, vary);
            self.numbers = numbers;
        }
    }
}
// ANCHOR_END: adapt

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_frees_schedules_that_are_not_used() {
        let mut cache = ScheduleCache::default();
        let key = |n: usize| vec![Token::Size(n)];
        for n in 0..5 * MAX_SCHEDULES {
            cache.evaluations += 1;
            let last_used = cache.evaluations;
            if let Some(first) = cache.schedules.get_mut(&key(0)) {
                first.last_used = last_used;
            }
            cache.make_room();
            let (stages, numbers, vary) = Default::default();
            let schedule = Schedule { stages, numbers, vary, last_used };
            cache.schedules.insert(key(n), schedule);
            assert!(cache.schedules.len() <= MAX_SCHEDULES);
        }
        assert!(cache.schedules.contains_key(&key(0)));
        assert!(!cache.schedules.contains_key(&key(1)));
    }
}
