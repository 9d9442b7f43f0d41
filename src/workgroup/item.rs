//! What a kernel can do: the item that it runs as, and its steps.

use std::cell::Cell;
use std::panic::Location;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::thread;

use super::trace::Access;
use crate::error::mistake;

/// One work-item, as its kernel sees it: who it is, and the local memory
/// that it shares with its group.
#[derive(Clone, Debug)]
pub struct Item {
    pub(super) id: usize,
    pub(super) size: usize,
    pub(super) slot: Slot,
}

impl Item {
    /// Its number in the group: `get_local_id(0)`.
    pub fn id(&self) -> usize {
        self.id
    }

    /// How many items the group has: `get_local_size(0)`.
    pub fn size(&self) -> usize {
        self.size
    }
}

// ANCHOR: item
impl Item {
    /// The value of a cell of local memory.
    #[track_caller]
    pub fn read(&self, cell: usize) -> Step<f32> {
        self.step(Request::Access(Access::Read, cell, f32::NAN), |value| value)
    }

    /// Puts a value into a cell of local memory.
    #[track_caller]
    pub fn write(&self, cell: usize, value: f32) -> Step<()> {
        self.step(Request::Access(Access::Write, cell, value), |_| ())
    }

    /// Waits until every item of the group has come here.
    #[track_caller]
    pub fn barrier(&self) -> Step<()> {
        self.step(Request::Barrier(Location::caller().line()), |_| ())
    }
}
// ANCHOR_END: item

impl Item {
    #[track_caller]
    fn step<T>(&self, request: Request, answer: fn(f32) -> T) -> Step<T> {
        let (slot, at) = (self.slot.clone(), Location::caller());
        Step { request: Some(request), slot, answer, at }
    }
}

/// What an item waits for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Request {
    /// A cell, and what shall be there after a write.
    Access(Access, usize, f32),
    /// The barrier in this line of the source.
    Barrier(u32),
}

/// Where an item and its group meet: a request goes one way, an answer the
/// other.
pub(super) type Slot = Rc<Cell<Channel>>;

#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Channel {
    #[default]
    Nothing,
    Request(Request),
    Answer(f32),
}

/// A step that an item wants to make, and makes when its turn comes.
#[must_use = "a step is made only when it is awaited"]
#[derive(Debug)]
pub struct Step<T> {
    /// None once the group knows of it.
    request: Option<Request>,
    slot: Slot,
    answer: fn(f32) -> T,
    at: &'static Location<'static>,
}

impl<T> Future for Step<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<T> {
        let step = self.get_mut();
        if let Some(request) = step.request.take() {
            step.slot.set(Channel::Request(request));
            return Poll::Pending;
        }
        match step.slot.take() {
            Channel::Answer(value) => Poll::Ready((step.answer)(value)),
            mail => {
                step.slot.set(mail);
                Poll::Pending
            }
        }
    }
}

/// A barrier without `.await` is no barrier, and nothing else would say so.
impl<T> Drop for Step<T> {
    fn drop(&mut self) {
        let Some(request) = self.request else { return };
        if !thread::panicking() {
            let name = match request {
                Request::Access(Access::Read, ..) => "read",
                Request::Access(Access::Write, ..) => "write",
                Request::Barrier(_) => "barrier",
            };
            mistake(format!(
                "the {name} in line {} does nothing, because nobody waits for \
                 it; write `.await` behind it",
                self.at.line()
            ))
        }
    }
}
