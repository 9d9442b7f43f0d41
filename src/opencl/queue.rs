//! The queue of a device, for one thread at a time, and what it still reads.

use std::any::Any;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use ocl::core::{self, CommandQueue, CommandQueueProperties, Context};

use super::buffer::Contents;
use super::device::DeviceInfo;
use super::element::Stored;
use super::status::refusal;
use crate::{Error, ledger};

/// A copy of so many bytes is kept for the device to fetch while the host
/// goes on; whoever uploads more waits until it has been fetched.
const COPIED: usize = 1 << 20;
/// So many bytes of such copies are kept, until the next wait frees them.
const KEPT: usize = 16 << 20;

/// What is asked of a device is done in the order in which it was asked.
/// There are two queues behind this, because a queue that keeps times costs
/// more for each call: that one is used while somebody wants times.
pub(super) struct Queue {
    context: Context,
    info: &'static DeviceInfo,
    plain: CommandQueue,
    /// Opened by the first who wants times.
    timing: Option<CommandQueue>,
    /// Which of the two has the latest work.
    timed: bool,
    uploads: Vec<Box<dyn Any + Send>>,
    bytes: usize,
    /// What a failed command was to write, with its failure.
    lost: Vec<(Weak<Contents>, Arc<Failure>)>,
    /// How many commands have failed without a caller.
    failures: Arc<AtomicU64>,
}

/// Why a command without a caller has failed.
struct Failure {
    error: Error,
    /// Whether a call has returned it to the program.
    is_reported: AtomicBool,
}

impl Failure {
    fn reported(&self) -> Error {
        self.is_reported.store(true, Ordering::Relaxed);
        self.error.clone()
    }
}

impl Queue {
    pub(super) fn new(
        context: &Context,
        info: &'static DeviceInfo,
    ) -> Result<Queue, core::Error> {
        Ok(Queue {
            context: context.clone(),
            info,
            plain: core::create_command_queue(context, info.id, None)?,
            timing: None,
            timed: false,
            uploads: vec![],
            bytes: 0,
            lost: vec![],
            failures: Arc::default(),
        })
    }

    /// Records that a command which was to write these buffers has failed.
    pub(super) fn lose<'a>(
        &mut self,
        buffers: impl IntoIterator<Item = &'a Arc<Contents>>,
        failure: Error,
    ) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        self.lost.retain(|(contents, _)| contents.strong_count() > 0);
        // A command that used a lost buffer fails with the same error.
        let mut known = self.lost.iter().map(|(_, known)| known);
        let failure = match known.find(|known| known.error == failure) {
            Some(known) => Arc::clone(known),
            None => Arc::new(Failure {
                error: failure,
                is_reported: AtomicBool::new(false),
            }),
        };
        for contents in buffers {
            if self.find(contents).is_none() {
                let entry = (Arc::downgrade(contents), Arc::clone(&failure));
                self.lost.push(entry);
            }
        }
    }

    /// Returns the failure that has left a buffer without its contents, if
    /// there was one.
    pub(super) fn check(&self, contents: &Arc<Contents>) -> Result<(), Error> {
        match self.find(contents) {
            Some(at) => Err(self.lost[at].1.error.clone()),
            None => Ok(()),
        }
    }

    /// Returns the failure as [`Queue::check`] does, and records that the program
    /// has been told.
    pub(super) fn report(&self, contents: &Arc<Contents>) -> Result<(), Error> {
        match self.find(contents) {
            Some(at) => Err(self.lost[at].1.reported()),
            None => Ok(()),
        }
    }

    /// Records that a buffer has been overwritten.
    pub(super) fn restore(&mut self, contents: &Arc<Contents>) {
        if let Some(at) = self.find(contents) {
            self.lost.swap_remove(at);
        }
    }

    fn find(&self, contents: &Arc<Contents>) -> Option<usize> {
        let is_it = |(lost, _): &(Weak<Contents>, _)| {
            std::ptr::eq(lost.as_ptr(), Arc::as_ptr(contents))
        };
        self.lost.iter().position(is_it)
    }

    /// Returns the count of commands that have failed without a caller.
    pub(super) fn failures(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.failures)
    }

    /// Waits for the device. Returns the failure of a command whose results are
    /// still held, unless a call has returned it before.
    pub(super) fn finish_and_report(&mut self) -> Result<(), Error> {
        self.finish()?;
        let is_news =
            |(contents, failure): &&(Weak<Contents>, Arc<Failure>)| {
                contents.strong_count() > 0
                    && !failure.is_reported.load(Ordering::Relaxed)
            };
        match self.lost.iter().find(is_news) {
            Some((_, failure)) => Err(failure.reported()),
            None => Ok(()),
        }
    }

    /// Begins to keep times, or ends it. What was asked before is done before.
    pub(super) fn keep_times(&mut self, times: bool) -> Result<(), Error> {
        match self.timing {
            None if times => self.timing = Some(self.open_timing()?),
            _ => {}
        }
        if self.timed != times {
            self.finish()?;
            self.timed = times;
        }
        Ok(())
    }

    fn open_timing(&self) -> Result<CommandQueue, Error> {
        let (context, id) = (&self.context, self.info.id);
        let keeps_times = Some(CommandQueueProperties::PROFILING_ENABLE);
        core::create_command_queue(context, id, keeps_times)
            .map_err(|error| refusal("Opening a queue that keeps times", error))
    }

    /// Says whether it keeps times.
    pub(super) fn keeps_times(&self) -> bool {
        self.timed
    }

    /// Returns the queue to ask.
    pub(super) fn current(&self) -> &CommandQueue {
        match &self.timing {
            Some(timing) if self.timed => timing,
            _ => &self.plain,
        }
    }

    /// Waits until all is done that was asked.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        core::finish(self.current())
            .map_err(|error| refusal("Waiting for the device", error))?;
        self.nothing_waits();
        Ok(())
    }

    /// Forgets the copies: the host has waited for the device, which has
    /// fetched them.
    pub(super) fn nothing_waits(&mut self) {
        self.uploads.clear();
        self.bytes = 0;
    }

    /// Says whether it keeps a copy of so many bytes as well.
    pub(super) fn keeps(&self, bytes: usize) -> bool {
        bytes <= COPIED && self.bytes + bytes <= KEPT
    }

    /// Keeps a copy, which stays where it is until the device has fetched it,
    /// and no longer than until the host waits: `nothing_waits` frees it.
    pub(super) fn keep<T: Stored>(&mut self, copy: Box<[T]>) -> *const [T] {
        let place: *const [T] = &*copy;
        self.bytes += size_of_val(&*copy);
        self.uploads.push(Box::new(copy));
        place
    }
}

/// Counts that the host has waited for a device.
pub(super) fn waited() {
    ledger::count(|counts| counts.waits += 1);
}
