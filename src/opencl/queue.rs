//! The queue of a device, for one thread at a time, and what it still reads.

use std::any::Any;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use ocl::core::{self, CommandQueue, CommandQueueProperties, Context, Mem};

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
    /// The buffers that a failed command was to write, with its failure.
    lost: Vec<(Weak<Mem>, Arc<Error>)>,
    /// The first failure that no call has returned yet.
    unreported: Option<Arc<Error>>,
    /// How many commands have failed without a caller.
    failures: Arc<AtomicU64>,
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
            unreported: None,
            failures: Arc::default(),
        })
    }

    /// Records that a command which was to write these buffers has failed.
    pub(super) fn lose<'a>(
        &mut self,
        buffers: impl IntoIterator<Item = &'a Arc<Mem>>,
        failure: Error,
    ) {
        self.failures.fetch_add(1, Ordering::Relaxed);
        self.lost.retain(|(mem, _)| mem.strong_count() > 0);
        // A command that used a lost buffer fails with the same error.
        let mut known = self.lost.iter().map(|(_, known)| known);
        let failure = match known.find(|it| ***it == failure) {
            Some(known) => Arc::clone(known),
            None => {
                let failure = Arc::new(failure);
                self.unreported.get_or_insert_with(|| Arc::clone(&failure));
                failure
            }
        };
        for mem in buffers {
            if self.find(mem).is_none() {
                self.lost.push((Arc::downgrade(mem), Arc::clone(&failure)));
            }
        }
    }

    /// Returns the failure that has left a buffer without its contents, if
    /// there was one.
    pub(super) fn check(&self, mem: &Arc<Mem>) -> Result<(), Error> {
        match self.find(mem) {
            Some(at) => Err(Error::clone(&self.lost[at].1)),
            None => Ok(()),
        }
    }

    /// Does the same for a caller that returns the failure.
    pub(super) fn report(&mut self, mem: &Arc<Mem>) -> Result<(), Error> {
        let failure = self.check(mem);
        self.unreported.take_if(|it| failure.as_ref() == Err(&**it));
        failure
    }

    /// Records that a buffer has been overwritten.
    pub(super) fn restore(&mut self, mem: &Arc<Mem>) {
        if let Some(at) = self.find(mem) {
            self.lost.swap_remove(at);
        }
    }

    fn find(&self, mem: &Arc<Mem>) -> Option<usize> {
        let is_it = |(lost, _): &(Weak<Mem>, _)| {
            std::ptr::eq(lost.as_ptr(), Arc::as_ptr(mem))
        };
        self.lost.iter().position(is_it)
    }

    /// Returns the count of commands that have failed without a caller.
    pub(super) fn failures(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.failures)
    }

    /// Waits for the device, and returns a failure that no call has returned
    /// yet.
    pub(super) fn finish_and_report(&mut self) -> Result<(), Error> {
        self.finish()?;
        match self.unreported.take() {
            Some(failure) => Err(Error::clone(&failure)),
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
