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
    pub(super) channel: Channel,
}

impl Item {
    /// Returns its number in the group: `get_local_id(0)`.
    pub fn id(&self) -> usize {
        self.id
    }

    /// Returns how many items the group has: `get_local_size(0)`.
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
        let (channel, at) = (self.channel.clone(), Location::caller());
        Step { request: Some(request), channel, answer, at }
    }
}

/// What an item asks its group for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Request {
    /// An access to a cell, with the value if it is a write.
    Access(Access, usize, f32),
    /// The barrier in this line of the source.
    Barrier(u32),
}

/// The channel that an item shares with its group: a request goes one way, the
/// answer the other.
pub(super) type Channel = Rc<Cell<Message>>;

/// What lies in a channel.
#[derive(Clone, Copy, Debug, Default)]
pub(super) enum Message {
    #[default]
    Nothing,
    Request(Request),
    Answer(f32),
}

/// A step of an item, which is made when it is the item's turn.
#[must_use = "a step is made only when it is awaited"]
#[derive(Debug)]
pub struct Step<T> {
    /// None once it was sent to the group.
    request: Option<Request>,
    channel: Channel,
    answer: fn(f32) -> T,
    at: &'static Location<'static>,
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
