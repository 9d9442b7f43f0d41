//! Buffers that are used again, built in "Eight functions, one dispatch".
//!
//! To allocate on a device takes longer than to compute a little there, and
//! a training step asks for the same sizes again and again. So a buffer that
//! nobody uses waits here for the next one who asks for about its length. The
//! device's queue is in order: what is still to be read from a buffer is
//! read before its next user writes to it.
//!
//! A live buffer also costs the driver's memory on the host. PoCL keeps 480
//! bytes for the buffer and 440 for the last command that used it, as long as
//! the buffer lives, whether or not anything waits for the queue. A chain of
//! operations grows by the same number of bytes for each link, however long it
//! is. The resident memory of a short chain does not show it, because the heap
//! that PoCL's compiler has freed is used first.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::Memory;
use crate::error::Result;
use crate::opencl::{Buffer, Element, Gpu};

// ANCHOR: class
/// Finds the length of the buffer that serves `len` numbers: there are four
/// lengths between a power of two and the next, so at most a fifth is left
/// unused.
fn class(len: usize) -> usize {
    let step = (len.next_power_of_two() / 8).max(1);
    len.next_multiple_of(step)
}
// ANCHOR_END: class

/// The buffers that wait, by their length.
pub(super) struct Pool<T: Element> {
    waiting: Mutex<Waiting<T>>,
    /// The most bytes that may wait.
    limit: u64,
}

struct Waiting<T: Element> {
    buffers: HashMap<usize, Vec<Buffer<T>>>,
    bytes: u64,
    /// Bytes in use, and the most that there ever were.
    used: u64,
    peak: u64,
}

impl<T: Element> Pool<T> {
    pub(super) fn new(limit: u64) -> Pool<T> {
        let waiting =
            Waiting { buffers: HashMap::new(), bytes: 0, used: 0, peak: 0 };
        Pool { waiting: Mutex::new(waiting), limit }
    }
}

// ANCHOR: take
impl<T: Element> Pool<T> {
    /// Takes a buffer for so many numbers that has waited, or else a new one.
    pub(super) fn take(&self, gpu: &Gpu, len: usize) -> Result<Buffer<T>> {
        let mut waiting = self.lock();
        let found = waiting.buffers.get_mut(&class(len)).and_then(Vec::pop);
        let buffer = match found {
            Some(buffer) => {
                waiting.bytes -= bytes::<T>(buffer.len());
                buffer
            }
            None => gpu.allocate(class(len)).or_else(|_| {
                // What waits may be what is missing.
                waiting.buffers.clear();
                waiting.bytes = 0;
                gpu.allocate(len)
            })?,
        };
        waiting.use_more(bytes::<T>(len));
        Ok(buffer)
    }
}
// ANCHOR_END: take

impl<T: Element> Pool<T> {
    /// Counts a buffer from elsewhere, which will wait here afterwards.
    pub(super) fn adopt(&self, buffer: &Buffer<T>) {
        self.lock().use_more(bytes::<T>(buffer.len()));
    }

    // ANCHOR: give-back
    /// Takes a buffer back of which nobody uses the `len` numbers any more.
    pub(super) fn give_back(&self, mut buffer: Buffer<T>, len: usize) {
        buffer.discard_contents();
        let mut waiting = self.lock();
        waiting.used -= bytes::<T>(len);
        let all = waiting.bytes + bytes::<T>(buffer.len());
        // One of another length serves nobody.
        if all <= self.limit && class(buffer.len()) == buffer.len() {
            waiting.bytes = all;
            waiting.buffers.entry(buffer.len()).or_default().push(buffer);
        }
    }
    // ANCHOR_END: give-back

    /// Counts the bytes in use now, at the peak, and those that wait.
    pub(super) fn memory(&self) -> Memory {
        let Waiting { bytes: cached, used: now, peak, .. } = *self.lock();
        Memory { now, peak, cached }
    }

    /// Locks the pool. The counts stay whole when a panic interrupts their
    /// holder.
    fn lock(&self) -> MutexGuard<'_, Waiting<T>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: Element> Waiting<T> {
    fn use_more(&mut self, bytes: u64) {
        self.used += bytes;
        self.peak = self.peak.max(self.used);
    }
}

fn bytes<T>(len: usize) -> u64 {
    size_of::<T>() as u64 * len as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_of_the_pool_is_hardly_longer_than_what_was_asked_for() {
        for len in (1..3000).chain([1_000_000, (1 << 30) + 1]) {
            let class = class(len);
            assert!((len..=len + len / 4).contains(&class), "{len}: {class}");
            assert_eq!(super::class(class), class, "{len}");
        }
    }
}
