//! The queue of a device, for one thread at a time, and what it still reads.

use std::any::Any;

use ocl::core::{self, CommandQueue, CommandQueueProperties, Context};

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
    /// What went wrong with a launch that nobody has waited for.
    pub(super) failed: Option<Error>,
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
            failed: None,
        })
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
