//! Runs a kernel on a group, one access to local memory at a time.

use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Waker};

use super::item::{Channel, Item, Message, Request};
use super::trace::{Access, End, Event, Trace};
use crate::error::mistake;
use crate::rng::Random;

/// The size of a work-group. A cell of local memory is undefined in OpenCL
/// before the first write; here it is NaN, displayed as `?`.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// The number of work-items.
    pub items: usize,
    /// The number of `f32` cells of local memory.
    pub cells: usize,
}

// ANCHOR: schedule
/// The rule that chooses which of the ready items makes the next step.
#[derive(Clone, Debug)]
pub enum Schedule {
    /// One item after the other, each as far as it can go. A driver that runs
    /// kernels on a CPU does this: a loop over the items, up to the barrier.
    InTurn,
    /// Like `InTurn`, starting with the last item.
    Reversed,
    /// One step of each item in turn, like the lanes of a warp.
    Lockstep,
    /// Items chosen at random from this seed.
    Random(u64),
    /// These items, one step each, and then `InTurn`.
    Given(Vec<usize>),
}
// ANCHOR_END: schedule

impl Group {
    /// Runs a kernel under a schedule.
    #[track_caller]
    pub fn run(self, schedule: Schedule, kernel: impl AsyncFn(Item)) -> Trace {
        let mut run = Run::new(self, &kernel);
        let mut random = match schedule {
            Schedule::Random(seed) => Random::new(seed),
            _ => Random::new(0),
        };
        let mut last = self.items;
        loop {
            if let Some(trace) = run.end(MAX_STEPS_PER_ITEM * self.items) {
                return trace;
            }
            let ready = run.ready();
            let chosen = match &schedule {
                Schedule::InTurn => None,
                Schedule::Reversed => ready.last(),
                Schedule::Lockstep => ready.iter().find(|&&item| item > last),
                Schedule::Random(_) => Some(&ready[random.below(ready.len())]),
                Schedule::Given(items) => items.get(run.events.len()),
            };
            last = *chosen.unwrap_or(&ready[0]);
            if !ready.contains(&last) {
                mistake(format!(
                    "step {} of the schedule is item {last}'s, which cannot \
                     make one: only {ready:?} can",
                    run.events.len() + 1
                ));
            }
            run.step(last);
        }
    }
}

/// A run with more steps than this per item, or with more barriers, is
/// reported as endless.
const MAX_STEPS_PER_ITEM: usize = 1000;

/// The kernel of an item, and the item's channel.
struct RunningItem<'k> {
    /// `None` after the kernel has returned.
    kernel: Option<Pin<Box<dyn Future<Output = ()> + 'k>>>,
    channel: Channel,
}

/// The state of a run between two steps.
pub(super) struct Run<'k> {
    items: Vec<RunningItem<'k>>,
    pub(super) local: Vec<f32>,
    pub(super) events: Vec<Event>,
    /// The number of barriers that the group has passed.
    pub(super) phase: usize,
}

impl<'k> Run<'k> {
    pub(super) fn new(group: Group, kernel: &'k impl AsyncFn(Item)) -> Self {
        let size = group.items;
        let start = |id| {
            let channel = Channel::default();
            let item = Item { id, size, channel: Rc::clone(&channel) };
            RunningItem { kernel: Some(Box::pin(kernel(item))), channel }
        };
        let mut run = Run {
            items: (0..size).map(start).collect(),
            local: vec![f32::NAN; group.cells],
            events: Vec::new(),
            phase: 0,
        };
        (0..size).for_each(|item| run.advance(item));
        run.open_barriers();
        run
    }

    /// Resumes an item until it requests its next step or returns.
    fn advance(&mut self, item: usize) {
        let RunningItem { kernel, channel } = &mut self.items[item];
        let Some(future) = kernel else { return };
        let mut context = Context::from_waker(Waker::noop());
        if future.as_mut().poll(&mut context).is_ready() {
            *kernel = None;
        } else if !matches!(channel.get(), Message::Request(_)) {
            mistake(format!(
                "item {item} waits for something that no group gives; a \
                 kernel awaits reads, writes and barriers"
            ));
        }
    }

    fn request(&self, item: usize) -> Option<Request> {
        match self.items.get(item)?.channel.get() {
            Message::Request(request) => Some(request),
            _ => None,
        }
    }

    /// Lists the items that are ready to make a step. Items that wait at a
    /// barrier are not.
    pub(super) fn ready(&self) -> Vec<usize> {
        let at_memory = |item: &usize| {
            matches!(self.request(*item), Some(Request::Access(..)))
        };
        (0..self.items.len()).filter(at_memory).collect()
    }

    /// Makes one step of a ready item, and opens a barrier if it was the last
    /// item to reach it.
    pub(super) fn step(&mut self, item: usize) {
        let Some(Request::Access(access, cell, mut value)) = self.request(item)
        else {
            unreachable!("the item is ready")
        };
        let stored = self.local.get_mut(cell);
        let is_in_bounds = stored.is_some();
        match (stored, access) {
            (Some(stored), Access::Read) => value = *stored,
            (Some(stored), Access::Write) => *stored = value,
            (None, _) => {}
        }
        let phase = self.phase;
        self.events.push(Event { item, access, cell, value, phase });
        // An access out of bounds ends the run, because its effect is
        // undefined.
        if is_in_bounds {
            self.items[item].channel.set(Message::Answer(value));
            self.advance(item);
            self.open_barriers();
        }
    }

    /// Returns the line of the barrier at which an item waits, if it does.
    fn barrier(&self, item: usize) -> Option<u32> {
        match self.request(item) {
            Some(Request::Barrier(line)) => Some(line),
            _ => None,
        }
    }

    /// Opens the barrier if every item has reached the same one, and repeats
    /// that for the barriers that follow directly.
    fn open_barriers(&mut self) {
        let items = 0..self.items.len();
        while let Some(line) = self.barrier(0)
            && items.clone().all(|item| self.barrier(item) == Some(line))
            && self.phase < MAX_STEPS_PER_ITEM
        {
            self.phase += 1;
            for item in items.clone() {
                self.items[item].channel.set(Message::Answer(0.0));
                self.advance(item);
            }
        }
    }

    /// Returns the trace if the run has ended or has `max_steps` steps.
    pub(super) fn end(&self, max_steps: usize) -> Option<Trace> {
        let (steps, cells) = (self.events.len(), self.local.len());
        let last = self.events.last().copied();
        let end = if let Some(event) = last.filter(|e| e.cell >= cells) {
            End::Outside { event, cells }
        } else if steps >= max_steps || self.phase >= MAX_STEPS_PER_ITEM {
            End::Endless(steps + self.phase)
        } else if !self.ready().is_empty() {
            return None;
        } else {
            let lines =
                (0..self.items.len()).map(|item| (item, self.barrier(item)));
            match lines.clone().all(|(_, line)| line.is_none()) {
                true => End::Done(self.local.clone()),
                false => End::Divergent(lines.collect()),
            }
        };
        let (events, barriers) = (self.events.clone(), self.phase);
        Some(Trace { cells, events, barriers, end })
    }
}
