//! Copies between a device and page-locked memory of the host, which run while
//! the host continues.
//!
//! A device reads and writes page-locked memory directly. To copy ordinary
//! memory, the driver first copies it to an internal page-locked buffer, and
//! the host waits. Allocating page-locked memory is slow, so the queue keeps it
//! for the next copy ([`StagingPool`]).

use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use ocl::core::{self, CommandQueue, Context, Event, MapFlags, Mem, MemFlags};
use ocl::core::{CommandExecutionStatus, EventInfo, EventInfoResult};
use ocl::core::{MemMap, OpenclVersion};

use super::buffer::{Buffer, Contents};
use super::gpu::Gpu;
use super::queue::{Command, Queue};
use super::recorder;
use super::status::driver_error;
use crate::timeline::SliceKind;
use crate::{Error, ledger};

/// The maximum size of all staging memory of a device, in bytes.
const MAX_STAGING: usize = 256 << 20;
/// How long the host sleeps before it looks again whether a copy has ended.
const POLLING: Duration = Duration::from_micros(20);

/// Page-locked memory of the host. It stays mapped until the process ends.
pub(super) struct Staging {
    /// Owns the memory.
    _mem: Mem,
    start: MemMap<f32>,
    /// The number of `f32` values.
    len: usize,
}

impl Staging {
    fn new(
        context: &Context,
        queue: &CommandQueue,
        len: usize,
    ) -> Result<Staging, core::Error> {
        let flags = MemFlags::READ_WRITE | MemFlags::ALLOC_HOST_PTR;
        // SAFETY: the driver allocates the memory, so the flags place no
        // requirements on the caller.
        let mem = unsafe {
            core::create_buffer::<_, f32>(context, flags, len, None)
        }?;
        // SAFETY: the call blocks until the memory is mapped. The memory object
        // is used for nothing else, and is never unmapped.
        let start = unsafe {
            core::enqueue_map_buffer::<f32, _, _, _>(
                queue,
                &mem,
                true,
                MapFlags::READ | MapFlags::WRITE,
                0,
                len,
                None::<Event>,
                None::<&mut Event>,
            )
        }?;
        Ok(Staging { _mem: mem, start, len })
    }

    /// Returns the first `len` values. No copy may be using the memory.
    fn values(&mut self, len: usize) -> &mut [f32] {
        assert!(len <= self.len, "staging memory is long enough");
        // SAFETY: the memory has at least `len` values, and is borrowed
        // through `self` alone. A float has no invalid bits.
        unsafe { self.start.as_slice_mut(len) }
    }
}

/// Unused staging memory, each piece with the copy that may still be running.
#[derive(Default)]
pub(super) struct StagingPool {
    free: Vec<(Staging, Option<Event>)>,
    /// The size of all staging memory, in bytes.
    bytes: usize,
}

impl StagingPool {
    /// Returns memory for `len` values, or `None` if there would be too much of
    /// it, or the driver refuses to allocate it.
    pub(super) fn take(
        &mut self,
        context: &Context,
        queue: &CommandQueue,
        len: usize,
    ) -> Option<Staging> {
        let found = self.free.iter().position(|(staging, copy)| {
            (len..=2 * len).contains(&staging.len)
                && copy.as_ref().is_none_or(|it| has_ended(it) == Ok(true))
        });
        if let Some(index) = found {
            return Some(self.free.swap_remove(index).0);
        }
        let bytes = len * size_of::<f32>();
        if self.bytes + bytes > MAX_STAGING {
            return None;
        }
        let staging = Staging::new(context, queue, len).ok()?;
        self.bytes += bytes;
        Some(staging)
    }

    /// Takes back memory, which is reused after `copy` has ended.
    fn give_back(&mut self, staging: Staging, copy: Option<Event>) {
        self.free.push((staging, copy));
    }
}

/// Returns whether a copy has ended.
fn has_ended(copy: &Event) -> Result<bool, Error> {
    let status = core::get_event_info(copy, EventInfo::CommandExecutionStatus);
    match status {
        Ok(EventInfoResult::CommandExecutionStatus(status)) => {
            Ok(status == CommandExecutionStatus::Complete)
        }
        Ok(_) => unreachable!("the status of a command was asked for"),
        Err(error) => Err(driver_error("Copying between devices", error)),
    }
}

/// A copy from a device to staging memory, which may still be running.
pub(crate) struct StagedRead {
    gpu: Gpu,
    len: usize,
    /// Receives the memory once the driver has the command, with the copy's
    /// event.
    sent: Receiver<(Staging, Result<Event, Error>)>,
}

impl StagedRead {
    /// Waits for the copy, and appends the values to `target`.
    pub(crate) fn append_to(self, target: &mut Vec<f32>) -> Result<(), Error> {
        let (mut staging, copy) = self.sent.recv().expect("it is sent once");
        self.wait(&copy?)?;
        target.extend_from_slice(staging.values(self.len));
        self.gpu.0.lock_queue().staging.give_back(staging, None);
        Ok(())
    }

    fn wait(&self, copy: &Event) -> Result<(), Error> {
        loop {
            // NVIDIA's driver is used by one thread at a time; see
            // `Open::queue`.
            let queue = self.gpu.0.lock_queue();
            if has_ended(copy)? {
                return Ok(());
            }
            drop(queue);
            thread::sleep(POLLING);
        }
    }
}

/// Waits for a read that was not finished, because the next owner of its source
/// may change it, and returns the memory.
impl Drop for StagedRead {
    fn drop(&mut self) {
        if let Ok((staging, Ok(copy))) = self.sent.recv()
            && self.wait(&copy).is_ok()
        {
            self.gpu.0.lock_queue().staging.give_back(staging, None);
        }
    }
}

/// Copies a buffer to staging memory.
struct Read {
    source: Arc<Contents>,
    staging: Option<Staging>,
    len: usize,
    reply: Sender<(Staging, Result<Event, Error>)>,
}

impl Command for Read {
    /// Always succeeds: a failure belongs to the reader.
    fn issue(&mut self, queue: &mut Queue) -> Result<(), Error> {
        let mut staging = self.staging.take().expect("it is issued once");
        let copy = self.enqueue(queue, &mut staging);
        // The reader waits for this message before it ends.
        _ = self.reply.send((staging, copy));
        Ok(())
    }

    fn outputs(&self) -> Vec<&Arc<Contents>> {
        Vec::new()
    }
}

impl Read {
    fn enqueue(
        &self,
        queue: &mut Queue,
        staging: &mut Staging,
    ) -> Result<Event, Error> {
        queue.report(&self.source)?;
        let issued = |error| driver_error("Reading a buffer", error);
        let [mut computed, mut event] = [Event::null(), Event::null()];
        core::enqueue_marker_with_wait_list(
            queue.current(),
            None::<Event>,
            Some(&mut computed),
            Some(&OpenclVersion::new(1, 2)),
        )
        .map_err(issued)?;
        // SAFETY: the buffer has at least this many values. `StagedRead`
        // waits for the event before it uses the memory or a different copy
        // gets it.
        unsafe {
            core::enqueue_read_buffer(
                &queue.reads,
                &**self.source,
                false,
                0,
                staging.values(self.len),
                Some(&computed),
                Some(&mut event),
            )
        }
        .map_err(issued)?;
        // If one of them fails, so does the next command.
        _ = core::flush(queue.current());
        _ = core::flush(&queue.reads);
        Ok(event)
    }
}

/// Copies staging memory to a buffer.
struct Write {
    target: Arc<Contents>,
    staging: Option<Staging>,
    len: usize,
    times: bool,
    event: Event,
}

impl Command for Write {
    fn issue(&mut self, queue: &mut Queue) -> Result<(), Error> {
        let mut staging = self.staging.take().expect("it is issued once");
        queue.keep_times(self.times)?;
        // SAFETY: the buffer has at least this many values. The pool waits
        // for the event before a different copy gets the memory.
        unsafe {
            core::enqueue_write_buffer(
                queue.current(),
                &**self.target,
                false,
                0,
                staging.values(self.len),
                None::<Event>,
                Some(&mut self.event),
            )
        }
        .map_err(|error| driver_error("Writing a buffer", error))?;
        queue.staging.give_back(staging, Some(self.event.clone()));
        queue.restore(&self.target);
        Ok(())
    }

    fn outputs(&self) -> Vec<&Arc<Contents>> {
        vec![&self.target]
    }
}

impl Buffer<f32> {
    /// Starts to copy the first `len` values to the host, after all earlier
    /// launches. Later ones do not wait for the copy, so they must not write to
    /// the buffer until it has ended. Returns `None` if staging memory for them is not available.
    pub(crate) fn start_read(
        &self,
        len: usize,
    ) -> Result<Option<StagedRead>, Error> {
        assert!(len <= self.len(), "no values after the last");
        let gpu = self.gpu();
        let Some(staging) = gpu.0.lock_queue().take_staging(len) else {
            return Ok(None);
        };
        let (reply, sent) = channel();
        let call = recorder::call();
        let mut command = Read {
            source: Arc::clone(&self.contents),
            staging: Some(staging),
            len,
            reply,
        };
        let bytes = len * size_of::<f32>();
        ledger::count(|counts| counts.bytes_to_host += bytes as u64);
        if call.is_some() {
            command.issue(&mut *gpu.0.queue()?)?;
            let (staging, copy) = sent.recv().expect("it was issued");
            if let Ok(event) = &copy {
                self.copied(call, SliceKind::Read, bytes, event.clone());
            }
            _ = command.reply.send((staging, copy));
        } else {
            gpu.0.issue(command)?;
        }
        Ok(Some(StagedRead { gpu: gpu.clone(), len, sent }))
    }

    /// Copies `values` to staging memory, and starts to copy them to the start
    /// of this buffer. Returns `false` if staging memory for them is not
    /// available, or this device does not gain from it.
    pub(crate) fn start_write(&self, values: &[f32]) -> Result<bool, Error> {
        let gpu = self.gpu();
        if !gpu.0.has_submission_thread() {
            return Ok(false);
        }
        assert!(values.len() <= self.len(), "no values after the last");
        let staging = gpu.0.lock_queue().take_staging(values.len());
        let Some(mut staging) = staging else { return Ok(false) };
        staging.values(values.len()).copy_from_slice(values);
        let (call, bytes) = (recorder::call(), size_of_val(values));
        ledger::count(|counts| counts.bytes_to_device += bytes as u64);
        let mut command = Write {
            target: Arc::clone(&self.contents),
            staging: Some(staging),
            len: values.len(),
            times: call.is_some(),
            event: Event::null(),
        };
        if call.is_some() {
            command.issue(&mut *gpu.0.queue()?)?;
            self.copied(call, SliceKind::Upload, bytes, command.event);
        } else {
            gpu.0.issue(command)?;
        }
        Ok(true)
    }
}
