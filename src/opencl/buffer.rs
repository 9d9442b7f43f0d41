//! Typed memory on a device.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use ocl::core::{self, Event, Mem, MemFlags};

use super::device::{Bytes, not_forked};
use super::element::{Element, Stored};
use super::gpu::Gpu;
use super::queue::{self, Command, Queue};
use super::recorder::{self, Call};
use super::status::driver_error;
use crate::timeline::SliceKind;
use crate::{Error, ledger};

/// The largest upload, in bytes, that is issued as a copy without waiting.
/// Copies of larger ones would take too much memory while they are pending.
const MAX_COPY: usize = 1 << 16;

// ANCHOR: buffer
/// An array in a device's memory. It knows its length and its device, which
/// OpenCL's own memory objects do not. Dropping it frees the memory once the
/// launches that use it have ended.
pub struct Buffer<T: Element> {
    gpu: Gpu,
    len: usize,
    /// Shared with pending launches, because using the driver's own reference
    /// count would take a driver call for each argument.
    pub(super) contents: Arc<Contents>,
    values: PhantomData<T>,
}
// ANCHOR_END: buffer

/// The contents of a buffer's memory. A buffer that is reused gets new
/// contents in the same memory, so that an earlier command that fails does not
/// affect them.
pub(super) struct Contents(Arc<Mem>);

impl Deref for Contents {
    type Target = Mem;

    fn deref(&self) -> &Mem {
        &self.0
    }
}

impl<T: Element> Buffer<T> {
    pub(super) fn new(gpu: &Gpu, len: usize) -> Result<Buffer<T>, Error> {
        not_forked()?;
        let info = gpu.info();
        let bytes = check_size::<T>(len, &info.name, info.max_allocation)?;
        // SAFETY: no host memory is attached, so these flags place no
        // requirements on the caller.
        let mem = unsafe {
            core::create_buffer::<_, T>(
                &gpu.0.context,
                MemFlags::READ_WRITE,
                len,
                None,
            )
        };
        let doing = || format!("Allocating {} on {}", Bytes(bytes), gpu.name());
        let mem = mem.map_err(|error| driver_error(&doing(), error))?;
        gpu.note_memory(bytes as i64);
        ledger::count(|counts| counts.allocations += 1);
        let contents = Arc::new(Contents(Arc::new(mem)));
        Ok(Buffer { gpu: gpu.clone(), len, contents, values: PhantomData })
    }

    /// Returns the number of values. It is never 0 and always fits a `uint`.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the device that holds the values.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Copies the values to the host. Waits for all earlier launches.
    pub fn read(&self) -> Result<Vec<T>, Error> {
        self.read_first(self.len)
    }

    /// Copies the first `len` values, which may have a different type. The
    /// buffer must have at least that number.
    pub(crate) fn read_first<U: Stored>(
        &self,
        len: usize,
    ) -> Result<Vec<U>, Error> {
        let mut values = reserve(len)?;
        values.resize(len, U::default());
        self.fetch(&mut values)?;
        Ok(values)
    }

    /// Copies the values to `target`, which must have the length of the
    /// buffer. Waits for all earlier launches.
    pub fn read_into(&self, target: &mut [T]) -> Result<(), Error> {
        self.check_length(target.len())?;
        self.fetch(target)
    }

    fn fetch<U: Stored>(&self, target: &mut [U]) -> Result<(), Error> {
        self.check_end(target);
        let mut queue = self.gpu.0.queue()?;
        queue.report(&self.contents)?;
        let (call, mut event) = (recorder::call(), Event::null());
        queue.keep_times(call.is_some())?;
        // SAFETY: the call blocks until `target`, which is no longer than the
        // buffer, is written. An element has no invalid bits.
        unsafe {
            core::enqueue_read_buffer(
                queue.current(),
                &**self.contents,
                true,
                0,
                target,
                None::<Event>,
                call.is_some().then_some(&mut event),
            )
        }
        .map_err(|error| {
            let doing = "Reading a buffer after the launches before it";
            driver_error(doing, error)
        })?;
        queue.release_copies();
        queue::count_wait();
        ledger::count(|counts| {
            counts.bytes_to_host += size_of_val(target) as u64
        });
        self.copied(call, SliceKind::Read, size_of_val(target), event);
        Ok(())
    }

    /// Marks the contents as unused. An earlier or pending command that fails
    /// no longer affects the buffer.
    pub(crate) fn discard_contents(&mut self) {
        let mem = Arc::clone(&self.contents.0);
        self.contents = Arc::new(Contents(mem));
    }

    /// Copies `values`, which must have the length of the buffer, to the
    /// device. A small slice is copied first, so that the call can return
    /// before the data has arrived.
    pub fn write(&self, values: &[T]) -> Result<(), Error> {
        self.check_length(values.len())?;
        self.write_first(values)
    }

    /// Like [`Buffer::write`] for the first values, which may have a different
    /// type. There must not be more of them than the buffer holds.
    pub(crate) fn write_first<U: Stored>(
        &self,
        values: &[U],
    ) -> Result<(), Error> {
        self.check_end(values);
        // The child process of a fork has no submission thread.
        not_forked()?;
        let (call, bytes) = (recorder::call(), size_of_val(values));
        let event = if call.is_none() && bytes <= MAX_COPY {
            let (target, copy) = (Arc::clone(&self.contents), values.into());
            self.gpu.0.issue(Upload { target, copy })?;
            Event::null()
        } else {
            let mut queue = self.gpu.0.queue()?;
            // SAFETY: the values are no longer than the buffer.
            unsafe {
                write(&mut queue, &self.contents, values, call.is_some())
            }?
        };
        ledger::count(|counts| counts.bytes_to_device += bytes as u64);
        self.copied(call, SliceKind::Upload, bytes, event);
        Ok(())
    }

    /// Records that a copy has returned; it has an event if a recording is
    /// active.
    pub(super) fn copied(
        &self,
        call: Option<Call>,
        kind: SliceKind,
        bytes: usize,
        event: Event,
    ) {
        let Some(call) = call else { return };
        let name = if kind == SliceKind::Read { "read" } else { "upload" };
        let bytes = bytes as u64;
        let what = (kind, name, Bytes(bytes).to_string());
        let event = super::Event::new(event);
        call.returned(self.gpu.0.info, what, bytes, Some(event));
    }

    /// Returns the size in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    fn check_end<U>(&self, values: &[U]) {
        let bytes = size_of_val(values);
        assert!(bytes <= self.bytes(), "no values behind the last");
    }

    fn check_length(&self, given: usize) -> Result<(), Error> {
        if given == self.len {
            return Ok(());
        }
        Err(Error::Mistake(format!(
            "The buffer holds {} values and the slice {given}: a copy needs \
             as many on both sides.",
            self.len
        )))
    }
}

/// A copy of values for the start of a buffer, which has room for them.
struct Upload<T> {
    target: Arc<Contents>,
    copy: Box<[T]>,
}

impl<T: Stored> Command for Upload<T> {
    fn issue(&mut self, queue: &mut Queue) -> Result<(), Error> {
        let copy = std::mem::take(&mut self.copy);
        // SAFETY: the values are no longer than the buffer.
        unsafe { write(queue, &self.target, copy, false) }.map(drop)
    }

    fn outputs(&self) -> Vec<&Arc<Contents>> {
        vec![&self.target]
    }
}

/// Copies values to the start of a buffer. The queue keeps a copy of a small
/// slice; for a larger one the host waits.
///
/// # Safety
///
/// There must not be more values than the buffer holds.
unsafe fn write<T: Stored>(
    queue: &mut Queue,
    target: &Arc<Contents>,
    values: impl AsRef<[T]> + Into<Box<[T]>>,
    times: bool,
) -> Result<Event, Error> {
    queue.keep_times(times)?;
    let event = if queue.has_room_for(size_of_val(values.as_ref())) {
        let copy = queue.keep_copy(values.into());
        // SAFETY: the queue keeps the copy until the host has waited for the
        // device, which cannot happen while this function borrows the queue.
        let copy = unsafe { &*copy };
        // SAFETY: the caller guarantees the length, and the queue keeps the
        // copy.
        unsafe { send(queue, target, copy, false) }?
    } else {
        // SAFETY: the caller guarantees the length. The call blocks until the
        // device has read the values.
        let event = unsafe { send(queue, target, values.as_ref(), true) }?;
        queue.release_copies();
        queue::count_wait();
        event
    };
    queue.restore(target);
    Ok(event)
}

/// Sends values to the start of a buffer, with an event if the queue records
/// times.
///
/// # Safety
///
/// There must not be more values than the buffer holds, and they must stay at
/// their address until the device has read them.
unsafe fn send<T: Stored>(
    queue: &Queue,
    mem: &Mem,
    values: &[T],
    blocks: bool,
) -> Result<Event, Error> {
    let mut event = Event::null();
    let times = queue.keeps_times().then_some(&mut event);
    // SAFETY: the caller guarantees both.
    let done = unsafe {
        let (queue, none) = (queue.current(), None::<Event>);
        core::enqueue_write_buffer(queue, mem, blocks, 0, values, none, times)
    };
    done.map_err(|error| driver_error("Writing a buffer", error))?;
    Ok(event)
}

/// Returns an empty vector with capacity for `len` values, or an error if the
/// host is out of memory.
fn reserve<T: Stored>(len: usize) -> Result<Vec<T>, Error> {
    let mut values = Vec::new();
    values.try_reserve_exact(len).map_err(|_| {
        let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
        Error::Device(format!(
            "The host has no {} of memory left to read a buffer of {len} {}: \
             free some, or read less.",
            Bytes(bytes),
            T::NAME
        ))
    })?;
    Ok(values)
}

/// Returns the size of `len` values in bytes, or an error if a device that
/// allows `limit` bytes per buffer cannot hold them.
fn check_size<T: Element>(
    len: usize,
    device: &str,
    limit: u64,
) -> Result<u64, Error> {
    if len == 0 {
        return Err(Error::Mistake(
            "A buffer of 0 elements cannot exist on an OpenCL device: keep \
             empty arrays on the host."
                .into(),
        ));
    }
    let bytes = (len as u64).saturating_mul(size_of::<T>() as u64);
    if bytes > limit {
        return Err(Error::Device(format!(
            "A buffer of {len} {} takes {}, and {device} allows {} in one \
             buffer: split the work, or use smaller arrays.",
            T::NAME,
            Bytes(bytes),
            Bytes(limit)
        )));
    }
    if u32::try_from(len).is_err() {
        return Err(Error::Device(format!(
            "A buffer of {len} {} has more elements than a kernel's uint can \
             count ({}): split the work.",
            T::NAME,
            u32::MAX
        )));
    }
    Ok(bytes)
}

impl Gpu {
    /// Allocates a buffer and copies `values` to it.
    pub fn upload<T: Element>(&self, values: &[T]) -> Result<Buffer<T>, Error> {
        let buffer = self.allocate(values.len())?;
        buffer.write(values)?;
        Ok(buffer)
    }

    /// Allocates a buffer for `len` values. The contents are undefined until
    /// something is written. They are not cleared, because that would cost a
    /// launch and most kernels overwrite the buffer immediately.
    pub fn allocate<T: Element>(&self, len: usize) -> Result<Buffer<T>, Error> {
        Buffer::new(self, len)
    }
}

impl Gpu {
    /// Returns the first failure that has lost the contents of one of these
    /// buffers, if any. Waits until the driver has accepted all earlier
    /// commands, but not until the device has executed them.
    pub(crate) fn check<'a, T: Element + 'a>(
        &self,
        buffers: impl IntoIterator<Item = &'a Buffer<T>>,
    ) -> Result<(), Error> {
        let queue = self.0.queue()?;
        let mut all = buffers.into_iter();
        all.try_for_each(|buffer| queue.report(&buffer.contents))
    }
}

impl<T: Element> Drop for Buffer<T> {
    fn drop(&mut self) {
        self.gpu.note_memory(-(self.bytes() as i64));
        ledger::count(|counts| counts.frees += 1);
    }
}

impl<T: Element> fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} on {:?}", self.len, T::NAME, self.gpu)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Promise: A buffer that is larger than the device allows is rejected
    /// before the device sees it.
    #[test]
    fn buffers_above_the_device_limit_are_rejected() {
        assert_eq!(check_size::<f32>(4, "a device", 16).unwrap(), 16);
        let error = check_size::<f32>(5, "a device", 16).unwrap_err();
        assert!(error.to_string().contains("takes 20 B"), "{error}");
        let all = u32::MAX as usize;
        assert!(check_size::<f32>(all, "a device", u64::MAX).is_ok());
        for beyond in [0, all + 1, usize::MAX] {
            assert!(check_size::<f32>(beyond, "a device", u64::MAX).is_err());
        }
    }

    /// Promise: A host without memory for a copy reports it in a sentence.
    #[test]
    fn a_host_copy_without_memory_gives_an_error() {
        assert!(reserve::<f32>(100).unwrap().is_empty());
        let error = reserve::<f32>(1 << 60).unwrap_err();
        assert!(error.to_string().contains("The host has no"), "{error}");
    }
}
