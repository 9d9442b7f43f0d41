//! The interface of a kernel: its work-item and the steps that it can make.

use std::cell::Cell;
use std::panic::Location;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::thread;

use super::trace::Access;
use crate::error::mistake;

/// A work-item, as its kernel sees it: its id, and access to the local memory
/// of its group.
#[derive(Clone, Debug)]
pub struct Item {
    pub(super) id: usize,
    pub(super) size: usize,
    pub(super) channel: Channel,
}

impl Item {
    /// Returns the id of the item in its group: `get_local_id(0)`.
    pub fn id(&self) -> usize {
        self.id
    }

    /// Returns the number of items in the group: `get_local_size(0)`.
    pub fn size(&self) -> usize {
        self.size
    }
}

// ANCHOR: item
impl Item {
    /// Reads a cell of local memory.
    #[track_caller]
    pub fn read(&self, cell: usize) -> Step<f32> {
        self.step(Request::Access(Access::Read, cell, f32::NAN), |value| value)
    }

    /// Writes a value to a cell of local memory.
    #[track_caller]
    pub fn write(&self, cell: usize, value: f32) -> Step<()> {
        self.step(Request::Access(Access::Write, cell, value), |_| ())
    }

    /// Waits until every item of the group has reached this barrier.
    #[track_caller]
    pub fn barrier(&self) -> Step<()> {
        self.step(Request::Barrier(Location::caller().line()), |_| ())
    }
}
// ANCHOR_END: item

impl Item {
    #[track_caller]
    fn step<T>(&self, request: Request, answer: fn(f32) -> T) -> Step<T> {
        let (channel, location) = (self.channel.clone(), Location::caller());
        Step { request: Some(request), channel, answer, location }
    }
}

/// A request of an item to its group.
#[derive(Clone, Copy, Debug)]
pub(super) enum Request {
    /// An access to a cell, with the value of a write.
    Access(Access, usize, f32),
    /// A barrier, with its line in the source.
    Barrier(u32),
}

/// The channel between an item and its group. It carries a request to the
/// group, then the answer to the item.
pub(super) type Channel = Rc<Cell<Message>>;

/// The content of a channel.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Message {
    #[default]
    Nothing,
    Request(Request),
    Answer(f32),
}

/// A step of an item: a future that completes when the schedule has made the
/// step.
#[must_use = "a step is made only when it is awaited"]
#[derive(Debug)]
pub struct Step<T> {
    /// `None` after it was sent to the group.
    request: Option<Request>,
    channel: Channel,
    answer: fn(f32) -> T,
    location: &'static Location<'static>,
}

impl<T> Future for Step<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<T> {
        let step = self.get_mut();
        if let Some(request) = step.request.take() {
            step.channel.set(Message::Request(request));
            return Poll::Pending;
        }
        match step.channel.take() {
            Message::Answer(value) => Poll::Ready((step.answer)(value)),
            message => {
                step.channel.set(message);
                Poll::Pending
            }
        }
    }
}

/// Panics if the step was never awaited: without `.await` it has no effect,
/// and nothing else would report that.
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
                self.location.line()
            ))
        }
    }
}
