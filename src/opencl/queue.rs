//! The command queue of a device, for one thread at a time, and the uploads
//! that it has not read yet.

use std::any::Any;
use std::mem;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use ocl::core::{self, CommandQueue, CommandQueueProperties, Context};

use super::buffer::Contents;
use super::device::DeviceInfo;
use super::element::Stored;
use super::staging::{Staging, StagingPool};
use super::status::driver_error;
use crate::{Error, ledger};

/// Maximum size of an upload in bytes for which the queue keeps a copy, so
/// that the host can continue. For larger uploads the host waits.
const MAX_COPY_BYTES: usize = 1 << 20;
/// Maximum total size of these copies in bytes; a wait for the device frees
/// them.
const MAX_PENDING_COPY_BYTES: usize = 16 << 20;

/// Executes commands in the order in which they are issued, except reads that
/// the host does not wait for. It has two OpenCL queues for the ordered commands,
/// because each call is more expensive on a queue that records times: that one
/// is used only while times are requested.
pub(super) struct Queue {
    context: Context,
    info: &'static DeviceInfo,
    plain: CommandQueue,
    /// Copies to the host, which run while kernels run.
    pub(super) reads: CommandQueue,
    /// Created when times are first requested.
    timing: Option<CommandQueue>,
    /// Which of the two has the latest commands.
    timed: bool,
    uploads: Vec<Box<dyn Any + Send>>,
    bytes: usize,
    pub(super) staging: StagingPool,
    /// The outputs of failed commands, each with its failure.
    lost: Vec<(Weak<Contents>, Arc<Failure>)>,
    /// The number of commands that have failed without a caller.
    failures: Arc<AtomicU64>,
}

/// A command that the caller need not wait for.
pub(super) trait Command: Send + 'static {
    /// Puts the command into the queue, once.
    fn issue(&mut self, queue: &mut Queue) -> Result<(), Error>;

    /// Returns the buffers that it writes. They are lost if it fails after the
    /// caller has continued.
    fn outputs(&self) -> Vec<&Arc<Contents>>;
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
        let keeps_times = Some(CommandQueueProperties::PROFILING_ENABLE);
        Ok(Queue {
            context: context.clone(),
            info,
            plain: core::create_command_queue(context, info.id, None)?,
            reads: core::create_command_queue(context, info.id, keeps_times)?,
            timing: None,
            timed: false,
            uploads: vec![],
            bytes: 0,
            staging: StagingPool::default(),
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

    /// Returns the failure that has lost the contents of a buffer, if there
    /// was one.
    pub(super) fn check(&self, contents: &Arc<Contents>) -> Result<(), Error> {
        match self.find(contents) {
            Some(at) => Err(self.lost[at].1.error.clone()),
            None => Ok(()),
        }
    }

    /// Like [`Queue::check`], but also records that the program has been told
    /// of the failure.
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

    /// Returns the counter of commands that have failed without a caller.
    pub(super) fn failures(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.failures)
    }

    /// Waits for the device. Returns the failure of a command whose results
    /// are still referenced, unless a call has returned it before.
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

    /// Starts or stops recording times. Waits for the earlier commands if this
    /// changes the queue.
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
        core::create_command_queue(context, id, keeps_times).map_err(|error| {
            driver_error("Opening a queue that keeps times", error)
        })
    }

    /// Returns whether times are recorded.
    pub(super) fn keeps_times(&self) -> bool {
        self.timed
    }

    /// Returns the OpenCL queue to use now.
    pub(super) fn current(&self) -> &CommandQueue {
        match &self.timing {
            Some(timing) if self.timed => timing,
            _ => &self.plain,
        }
    }

    /// Returns page-locked memory for `len` values; see [`StagingPool::take`].
    pub(super) fn take_staging(&mut self, len: usize) -> Option<Staging> {
        let mut pool = mem::take(&mut self.staging);
        let staging = pool.take(&self.context, self.current(), len);
        self.staging = pool;
        staging
    }

    /// Waits until all commands are complete.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        core::finish(self.current())
            .and_then(|()| core::finish(&self.reads))
            .map_err(|error| driver_error("Waiting for the device", error))?;
        self.release_copies();
        Ok(())
    }

    /// Frees the copies: the host has waited for the device, which has read
    /// them.
    pub(super) fn release_copies(&mut self) {
        self.uploads.clear();
        self.bytes = 0;
    }

    /// Returns whether the queue can keep another copy of `bytes` bytes.
    pub(super) fn has_room_for(&self, bytes: usize) -> bool {
        bytes <= MAX_COPY_BYTES && self.bytes + bytes <= MAX_PENDING_COPY_BYTES
    }

    /// Keeps a copy of an upload. The returned pointer is valid until the host
    /// has waited for the device, when `release_copies` frees the copy.
    pub(super) fn keep_copy<T: Stored>(
        &mut self,
        copy: Box<[T]>,
    ) -> *const [T] {
        let place: *const [T] = &*copy;
        self.bytes += size_of_val(&*copy);
        self.uploads.push(Box::new(copy));
        place
    }
}

/// Counts a wait of the host for a device.
pub(super) fn count_wait() {
    ledger::count(|counts| counts.waits += 1);
}
