//! Which kernels a wish takes, and their launches.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::panic::Location;
use std::sync::{Arc, PoisonError};

use smallvec::SmallVec;

use super::super::super::kernels;
use super::found::{Found, Token};
use super::lazy::{Integers, Lazy, State, What, Wish};
use super::{
    Array, Binary, DType, Fused, Reduce, Shared, Unary, downcast, loops,
};
use crate::error::{Error, Result};
use crate::opencl::{Formula, Join, Number, Plan, Space, Step, Written};

/// An operation on elements, as a plan knows it: without its number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Operation {
    Unary(Unary),
    Binary(Binary),
    Choice,
}

/// Every expression that was met, and its kernels.
#[derive(Default)]
pub(super) struct Known(
    HashMap<Vec<Token>, Schedule, BuildHasherDefault<Quick>>,
);

/// The kernels of an expression.
struct Schedule {
    stages: Vec<Stage>,
    /// The numbers that it was met with first.
    numbers: Vec<f32>,
    /// Those of them that were others later: arguments.
    vary: Vec<bool>,
}

enum Stage {
    /// A kernel, and the steps that it stores.
    Kernel {
        plan: Box<Plan<Operation>>,
        written: Option<Written>,
        stored: Vec<(usize, usize)>,
    },
    /// What was joined in parts, joined.
    Rest { step: usize, join: Join, sizes: [usize; 2] },
}

/// Hashes quickly: nobody chooses the keys to be slow.
#[derive(Default)]
pub(super) struct Quick(u64);

impl Hasher for Quick {
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
    /// Finds the kernels: a step that cannot be computed with the others is
    /// computed before them.
    fn new(fused: &Fused, found: &Found, vary: Vec<bool>) -> Schedule {
        let mut expression = found.expression();
        let root = expression.0.len() - 1;
        let (mut stages, mut waiting) = (vec![], vec![root]);
        while let Some(&step) = waiting.last() {
            let plan = match expression.plan(step) {
                Ok(plan) => plan,
                Err(before) => {
                    debug_assert!(before < step, "a step comes after its own");
                    waiting.push(before);
                    continue;
                }
            };
            waiting.pop();
            let stored: Vec<(usize, usize)> = plan.stored().collect();
            let numbers = found.numbers.iter().zip(&vary);
            let numbers: Vec<Number> = numbers
                .map(|(number, vary)| match vary {
                    true => Number::Given,
                    false => Number::Written(*number),
                })
                .collect();
            let shape =
                |step: usize| format!("{:?}", &expression.0[step].shape[..]);
            let written = fused.written(&plan, &numbers, &shape);
            let rest = match (&expression.0[step].step, plan.space()) {
                (Step::Join(join, ..), Space::Rows { rows, .. })
                    if plan.parts() > 1 =>
                {
                    let sizes = [rows, plan.parts()];
                    Some(Stage::Rest { step, join: *join, sizes })
                }
                _ => None,
            };
            for (step, _) in &stored {
                let node = &mut expression.0[*step];
                node.step = Step::Given(*step);
            }
            let plan = Box::new(plan);
            stages.push(Stage::Kernel { plan, written, stored });
            stages.extend(rest);
        }
        Schedule { stages, numbers: found.numbers.clone(), vary }
    }
}

impl Fused {
    /// Computes a storage, if it was not.
    pub(super) fn compute(&self, storage: &Shared) -> Result<Shared> {
        downcast::<Lazy>(&**storage).computed()
    }

    /// Computes all that a storage is made of, and what else of it somebody
    /// holds.
    pub(super) fn compute_one(&self, lazy: &Lazy) -> Result<Shared> {
        // One at a time: what one computes another need not.
        let mut known =
            self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let wish = match &*lazy.state() {
            State::Ready(storage) => return Ok(storage.clone()),
            State::Waiting(wish) => wish.clone(),
        };
        let caller = wish.caller;
        let made = self.computed(&mut known, lazy, wish);
        made.map_err(|error| late(error, caller))
    }

    fn computed(
        &self,
        Known(known): &mut Known,
        lazy: &Lazy,
        wish: Arc<Wish>,
    ) -> Result<Shared> {
        if let What::Number(number) = wish.what {
            let storage = self.base()?.upload(&[number], DType::F32)?;
            *lazy.state() = State::Ready(storage.clone());
            return Ok(storage);
        }
        if let Some(made) = self.alone(&wish)? {
            *lazy.state() = State::Ready(made.clone());
            return Ok(made);
        }
        let found = Found::behind(wish);
        let schedule = match known.get_mut(&found.key) {
            Some(schedule) => {
                schedule.adapt(self, &found);
                schedule
            }
            None => {
                let vary = vec![false; found.numbers.len()];
                let schedule = Schedule::new(self, &found, vary);
                known.entry(found.key.clone()).or_insert(schedule)
            }
        };
        let mut slots: Vec<Option<Shared>> = found
            .steps
            .iter()
            .map(|step| step.wish.as_ref().err().cloned())
            .collect();
        for stage in &schedule.stages {
            self.run(stage, &found, &schedule.vary, &mut slots)?;
        }
        for (step, slot) in found.steps.iter().zip(&slots) {
            let (Some(storage), Some(made), Ok(_)) =
                (&step.storage, slot, &step.wish)
            else {
                continue;
            };
            let lazy = downcast::<Lazy>(&**storage);
            *lazy.state() = State::Ready(made.clone());
        }
        let made = slots.pop().flatten().expect("the last was asked for");
        *lazy.state() = State::Ready(made.clone());
        Ok(made)
    }

    /// Lets the device below compute what is a single operation of numbers that
    /// are there: it has kernels for that.
    fn alone(&self, wish: &Wish) -> Result<Option<Shared>> {
        let mut there: SmallVec<[Array; 3]> = SmallVec::new();
        for operand in wish.operands() {
            let lazy = downcast::<Lazy>(&**operand.storage());
            let Some(storage) = lazy.there() else { return Ok(None) };
            let view = operand.view.clone();
            there.push(Array { device: self.base, storage, view });
        }
        // What is read through strides is read better by a kernel of its own.
        let is_dense = there.iter().all(Array::is_dense);
        let by_elements = matches!(
            wish.what,
            What::Unary(..) | What::Binary(..) | What::Choice(_)
        );
        if by_elements && !is_dense {
            return Ok(None);
        }
        let base = self.base()?;
        let made = match (&wish.what, &there[..]) {
            (What::Unary(op, _), [a]) => base.unary(*op, a),
            (What::Binary(op, _), [a, b]) => base.binary(*op, a, b),
            (What::Choice(_), [mask, a, b]) => base.where_cond(mask, a, b),
            (What::View(_), [a]) => base.copy(a),
            (What::Join(op, _, [rows, columns]), [a]) => {
                base.reduce(*op, a, *rows, *columns)
            }
            (What::Pick(Integers::Here(places), ..), [a]) => {
                base.index_select(a, places)
            }
            (What::Pick(Integers::Sent(places), ..), [a]) => {
                match self.gpu()? {
                    Some(gpu) => gpu.rows_at_uploaded(a, places, places.len()),
                    None => return Ok(None),
                }
            }
            _ => return Ok(None),
        };
        made.map(Some)
    }

    /// Runs a kernel.
    fn run(
        &self,
        stage: &Stage,
        found: &Found,
        vary: &[bool],
        slots: &mut [Option<Shared>],
    ) -> Result<()> {
        let there = |slots: &[Option<Shared>], step: usize| {
            slots[step].clone().expect("it was computed before")
        };
        match stage {
            Stage::Rest { step, join, sizes } => {
                let parts = there(slots, *step);
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
                let [places, inputs] = plan.read();
                let places = places.map(|at| &found.integers[at]);
                let inputs: SmallVec<[Shared; 8]> =
                    inputs.map(|step| there(slots, step)).collect();
                let numbers = &found.numbers;
                let made = match (written, self.gpu()?) {
                    (Some(written), Some(gpu)) => {
                        let given = numbers.iter().zip(vary);
                        let given = given
                            .filter(|(_, vary)| **vary)
                            .map(|(number, _)| *number);
                        let lengths = plan.lengths();
                        gpu.run_generated(
                            written,
                            places.filter_map(Integers::sent),
                            &inputs,
                            lengths,
                            given,
                        )?
                    }
                    _ => {
                        let places: Vec<&[usize]> =
                            places.filter_map(Integers::here).collect();
                        loops::run(plan, &inputs, &places, numbers)?
                    }
                };
                for ((step, _), made) in stored.iter().zip(made) {
                    slots[*step] = Some(made);
                }
            }
        }
        Ok(())
    }

    /// Writes the kernel of a plan, where the device below runs kernels.
    fn written(
        &self,
        plan: &Plan<Operation>,
        numbers: &[Number],
        shape: &dyn Fn(usize) -> String,
    ) -> Option<Written> {
        let units = self.gpu().ok().flatten()?.limits();
        let team = match plan.space() {
            Space::Each(_) => units.generated(1, 1, false),
            Space::Rows { rows, segment, .. } => {
                let (rows, across) = (rows * plan.parts(), plan.lies_across());
                units.generated(rows, segment, across)
            }
        };
        Some(plan.write(formula, numbers, team, shape))
    }
}

// ANCHOR: late
/// Says in an error that comes late who had asked for what it was to compute.
pub(super) fn late(
    error: Error,
    caller: Option<&'static Location<'static>>,
) -> Error {
    match (error, caller) {
        (Error::Device(sentence), Some(place)) => Error::Device(format!(
            "{sentence} (it was to compute what {}:{} asked for)",
            place.file(),
            place.line()
        )),
        (error, _) => error,
    }
}
// ANCHOR_END: late

/// Finds the formula of an operation.
fn formula(op: Operation) -> Formula {
    let kernel = match op {
        Operation::Unary(op) => kernels::unary(op).0,
        Operation::Binary(op) => kernels::binary(op)[0],
        Operation::Choice => return Formula::CHOICE,
    };
    Formula::of(&kernel).expect("a line of its file makes the kernel")
}

// ANCHOR: adapt
impl Schedule {
    /// Takes numbers that are not those of the first time as arguments from now
    /// on.
    fn adapt(&mut self, fused: &Fused, found: &Found) {
        let now = found.numbers.iter().zip(&self.numbers);
        let differ = now.map(|(now, first)| now.to_bits() != first.to_bits());
        let vary: Vec<bool> =
            differ.zip(&self.vary).map(|(now, ever)| now || *ever).collect();
        if vary != self.vary {
            let numbers = std::mem::take(&mut self.numbers);
            *self = Schedule::new(fused, found, vary);
            self.numbers = numbers;
        }
    }
}
// ANCHOR_END: adapt
