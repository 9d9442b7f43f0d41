//! Runs a group through a kernel, one access to local memory at a time.

use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Waker};

use super::item::{Channel, Item, Message, Request};
use super::trace::{Access, End, Event, Trace};
use crate::error::mistake;
use crate::rng::Random;

/// A work-group: how many items it has, and how many cells of local memory
/// they share. OpenCL leaves undefined what a cell holds before its first
/// write; here it is NaN, and shown as `?`.
#[derive(Clone, Copy, Debug)]
pub struct Group {
    /// Work-items.
    pub items: usize,
    /// Cells of local memory, each an `f32`.
    pub cells: usize,
}

// ANCHOR: schedule
/// Which item makes the next step, of those that can.
#[derive(Clone, Debug)]
pub enum Schedule {
    /// One item after the other, each as far as it can. A driver that runs
    /// kernels on a CPU does this: a loop over the items, up to the barrier.
    InTurn,
    /// The same, with the last item first.
    Reversed,
    /// A step of each, around and around: lanes that run side by side.
    Lockstep,
    /// An item that the seed picks.
    Random(u64),
    /// These items, a step each, and then all in turn.
    Given(Vec<usize>),
}
// ANCHOR_END: schedule

impl Group {
    /// Runs a kernel in the order of a schedule.
    #[track_caller]
    pub fn run(self, schedule: Schedule, kernel: impl AsyncFn(Item)) -> Trace {
        let mut run = Run::new(self, &kernel);
        let mut random = match schedule {
            Schedule::Random(seed) => Random::new(seed),
            _ => Random::new(0),
        };
        let mut last = self.items;
        loop {
            if let Some(trace) = run.end(MOST_STEPS * self.items) {
                return trace;
            }
            let ready = run.ready();
            let given = match &schedule {
                Schedule::InTurn => None,
                Schedule::Reversed => ready.last(),
                Schedule::Lockstep => ready.iter().find(|&&it| it > last),
                Schedule::Random(_) => Some(&ready[random.below(ready.len())]),
                Schedule::Given(items) => items.get(run.events.len()),
            };
            last = *given.unwrap_or(&ready[0]);
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

/// An item that has made so many steps is taken for one that never ends.
const MOST_STEPS: usize = 1000;

/// An item's own part of a run.
struct Running<'k> {
    /// None when it has come to its end.
    kernel: Option<Pin<Box<dyn Future<Output = ()> + 'k>>>,
    channel: Channel,
}

/// A group that stands still between two steps.
pub(super) struct Run<'k> {
    items: Vec<Running<'k>>,
    pub(super) local: Vec<f32>,
    pub(super) events: Vec<Event>,
    /// How many barriers lie behind the group.
    pub(super) phase: usize,
}

impl<'k> Run<'k> {
    pub(super) fn new(group: Group, kernel: &'k impl AsyncFn(Item)) -> Self {
        let size = group.items;
        let start = |id| {
            let channel = Channel::default();
            let item = Item { id, size, channel: Rc::clone(&channel) };
            Running { kernel: Some(Box::pin(kernel(item))), channel }
        };
        let mut run = Run {
            items: (0..size).map(start).collect(),
            local: vec![f32::NAN; group.cells],
            events: Vec::new(),
            phase: 0,
        };
        (0..size).for_each(|item| run.advance(item));
        run.open();
        run
    }

    /// Lets an item compute until it wants to make its next step.
    fn advance(&mut self, item: usize) {
        let Running { kernel, channel } = &mut self.items[item];
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

    /// Lists the items that can make a step, which is an access to local
    /// memory.
    pub(super) fn ready(&self) -> Vec<usize> {
        let at_memory = |item: &usize| {
            matches!(self.request(*item), Some(Request::Access(..)))
        };
        (0..self.items.len()).filter(at_memory).collect()
    }

    /// Makes one step of an item that is ready, and what follows from it.
    pub(super) fn step(&mut self, item: usize) {
        let Some(Request::Access(access, cell, mut value)) = self.request(item)
        else {
            unreachable!("the item is ready")
        };
        let place = self.local.get_mut(cell);
        let is_there = place.is_some();
        match (place, access) {
            (Some(place), Access::Read) => value = *place,
            (Some(place), Access::Write) => *place = value,
            (None, _) => {}
        }
        let phase = self.phase;
        self.events.push(Event { item, access, cell, value, phase });
        // An access outside is the end of the run: nobody knows what follows.
        if is_there {
            self.items[item].channel.set(Message::Answer(value));
            self.advance(item);
            self.open();
        }
    }

    /// Finds the line of the barrier at which an item waits.
    fn barrier(&self, item: usize) -> Option<u32> {
        match self.request(item) {
            Some(Request::Barrier(line)) => Some(line),
            _ => None,
        }
    }

    /// Opens the barrier when every item has come to the same one.
    fn open(&mut self) {
        let items = 0..self.items.len();
        while let Some(line) = self.barrier(0)
            && items.clone().all(|item| self.barrier(item) == Some(line))
            && self.phase < MOST_STEPS
        {
            self.phase += 1;
            for item in items.clone() {
                self.items[item].channel.set(Message::Answer(0.0));
                self.advance(item);
            }
        }
    }

    /// Says what happened, if it has come to an end.
    pub(super) fn end(&self, most_steps: usize) -> Option<Trace> {
        let (steps, cells) = (self.events.len(), self.local.len());
        let last = self.events.last().copied();
        let end = if let Some(event) = last.filter(|it| it.cell >= cells) {
            End::Outside { event, cells }
        } else if steps >= most_steps || self.phase >= MOST_STEPS {
            End::Endless(steps + self.phase)
        } else if !self.ready().is_empty() {
            return None;
        } else {
            let place = |item| (item, self.barrier(item));
            let places = (0..self.items.len()).map(place);
            match places.clone().all(|(_, line)| line.is_none()) {
                true => End::Done(self.local.clone()),
                false => End::Divergent(places.collect()),
            }
        };
        let (events, barriers) = (self.events.clone(), self.phase);
        Some(Trace { cells, events, barriers, end })
    }
}
