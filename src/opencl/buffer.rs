//! Typed memory on a device.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use ocl::core::{self, Event, Mem, MemFlags};

use super::device::{Bytes, not_forked};
use super::element::{Element, Stored};
use super::gpu::Gpu;
use super::queue::{self, Queue};
use super::recorder::{self, Call};
use super::status::refusal;
use super::submission::Command;
use crate::timeline::SliceKind;
use crate::{Error, ledger};

/// The largest upload, in bytes, that the submission thread takes as a copy.
/// Copies of larger ones would take too much memory while they are pending.
const MAX_COPY: usize = 1 << 16;

// ANCHOR: buffer
/// A number of values in a device's memory. It knows its length and its
/// device, which OpenCL's own memory objects do not. Dropping it frees the
/// memory, after the launches that still use it.
pub struct Buffer<T: Element> {
    gpu: Gpu,
    len: usize,
    /// Pending launches share it; the driver's own count would take a call for
    /// each of their arguments.
    pub(super) contents: Arc<Contents>,
    values: PhantomData<T>,
}
// ANCHOR_END: buffer

/// What a buffer holds in its memory. A buffer that is used again gets new
/// contents in the same memory, which an earlier command that fails does not
/// affect.
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
        // SAFETY: no host memory is attached, so these flags ask nothing of
        // the caller.
        let mem = unsafe {
            core::create_buffer::<_, T>(
                &gpu.0.context,
                MemFlags::READ_WRITE,
                len,
                None,
            )
        };
        let doing = || format!("Allocating {} on {}", Bytes(bytes), gpu.name());
        let mem = mem.map_err(|error| refusal(&doing(), error))?;
        gpu.note_memory(bytes as i64);
        ledger::count(|counts| counts.allocations += 1);
        let contents = Arc::new(Contents(Arc::new(mem)));
        Ok(Buffer { gpu: gpu.clone(), len, contents, values: PhantomData })
    }

    /// Counts the values. Never 0, and always a `uint`.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns the device that holds the values.
    pub fn gpu(&self) -> &Gpu {
        &self.gpu
    }

    /// Copies the values to the host. It waits for the launches before.
    pub fn read(&self) -> Result<Vec<T>, Error> {
        self.read_first(self.len)
    }

    /// Copies the first `len` values, of which there must be so many, and
    /// which may be of another type.
    pub(crate) fn read_first<U: Stored>(
        &self,
        len: usize,
    ) -> Result<Vec<U>, Error> {
        let mut values = room(len)?;
        values.resize(len, U::default());
        self.fetch(&mut values)?;
        Ok(values)
    }

    /// Copies the values to `target`, which must be as long as the buffer.
    /// It waits for the launches before.
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
            refusal(doing, error)
        })?;
        queue.nothing_waits();
        queue::waited();
        ledger::count(|counts| {
            counts.bytes_to_host += size_of_val(target) as u64
        });
        self.copied(call, SliceKind::Read, size_of_val(target), event);
        Ok(())
    }

    /// Declares the contents irrelevant, and with them a failure that has left
    /// the buffer without them, or will.
    pub(crate) fn discard_contents(&mut self) {
        let mem = Arc::clone(&self.contents.0);
        self.contents = Arc::new(Contents(mem));
    }

    /// Copies `values`, which must be as many as the buffer's, to the device.
    /// Of a few it takes a copy, and returns before they have arrived.
    pub fn write(&self, values: &[T]) -> Result<(), Error> {
        self.check_length(values.len())?;
        self.write_first(values)
    }

    /// Does the same for the first values, which must not be more than the
    /// buffer's, and may be of another type.
    pub(crate) fn write_first<U: Stored>(
        &self,
        values: &[U],
    ) -> Result<(), Error> {
        self.check_end(values);
        // The child of a fork has no submission thread.
        not_forked()?;
        let (call, bytes) = (recorder::call(), size_of_val(values));
        let event = match self.gpu.0.submission() {
            Some(thread) if call.is_none() && bytes <= MAX_COPY => {
                let target = Arc::clone(&self.contents);
                let (mem, copy) = (Arc::clone(&target), Box::from(values));
                let send = move |queue: &mut Queue| {
                    queue.keep_times(false)?;
                    if !queue.keeps(bytes) {
                        queue.finish()?;
                    }
                    // SAFETY: they are no longer than the buffer.
                    unsafe { send_copy::<U>(queue, &mem, copy) }.map(drop)
                };
                thread.submit(Command::Write(target, Box::new(send)));
                Event::null()
            }
            _ => {
                let mut queue = self.gpu.0.queue()?;
                queue.keep_times(call.is_some())?;
                // SAFETY: they are no longer than the buffer.
                let event =
                    unsafe { write(&mut queue, &self.contents, values) }?;
                queue.restore(&self.contents);
                event
            }
        };
        ledger::count(|counts| counts.bytes_to_device += bytes as u64);
        self.copied(call, SliceKind::Upload, bytes, event);
        Ok(())
    }

    /// Notes that a copy has come back; it has an event where somebody
    /// records.
    fn copied(
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

    /// Counts the bytes.
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

/// Copies values to the first places of a buffer. Of a few the queue takes a
/// copy; otherwise the host waits.
///
/// # Safety
///
/// They must not be more than the buffer's.
unsafe fn write<T: Stored>(
    queue: &mut Queue,
    mem: &Mem,
    values: &[T],
) -> Result<Event, Error> {
    if queue.keeps(size_of_val(values)) {
        // SAFETY: the promise above.
        return unsafe { send_copy(queue, mem, values.into()) };
    }
    // SAFETY: the promise above. The call blocks until the device has read the
    // values.
    let event = unsafe { send(queue, mem, values, true) }?;
    queue.nothing_waits();
    queue::waited();
    Ok(event)
}

/// Does so with a copy, which the queue keeps.
///
/// # Safety
///
/// It must not be longer than the buffer.
unsafe fn send_copy<T: Stored>(
    queue: &mut Queue,
    mem: &Mem,
    copy: Box<[T]>,
) -> Result<Event, Error> {
    let copy = queue.keep(copy);
    // SAFETY: the queue keeps the copy until the host has waited for the
    // device, which nobody does while this one has the queue.
    let copy = unsafe { &*copy };
    // SAFETY: the promise above, and as before.
    unsafe { send(queue, mem, copy, false) }
}

/// Sends values to the first places of a buffer, with an event where the queue
/// keeps times.
///
/// # Safety
///
/// They must not be more than the buffer's, and stay where they are until the
/// device has read them.
unsafe fn send<T: Stored>(
    queue: &Queue,
    mem: &Mem,
    values: &[T],
    blocks: bool,
) -> Result<Event, Error> {
    let mut event = Event::null();
    let times = queue.keeps_times().then_some(&mut event);
    // SAFETY: the promise above.
    let done = unsafe {
        let (queue, none) = (queue.current(), None::<Event>);
        core::enqueue_write_buffer(queue, mem, blocks, 0, values, none, times)
    };
    done.map_err(|error| refusal("Writing a buffer", error))?;
    Ok(event)
}

/// Makes an empty list with room for `len` values, if the host has it.
fn room<T: Stored>(len: usize) -> Result<Vec<T>, Error> {
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

/// Counts the bytes of `len` values, if the device, which allows `limit` bytes
/// in one buffer, can hold them.
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
    /// Makes a buffer with a copy of `values`.
    pub fn upload<T: Element>(&self, values: &[T]) -> Result<Buffer<T>, Error> {
        let buffer = self.allocate(values.len())?;
        buffer.write(values)?;
        Ok(buffer)
    }

    /// Makes a buffer for `len` values. What it holds is undefined until
    /// something is written: clearing it would cost a launch that most kernels
    /// make good at once.
    pub fn allocate<T: Element>(&self, len: usize) -> Result<Buffer<T>, Error> {
        Buffer::new(self, len)
    }
}

impl Gpu {
    /// Returns the failure that has left one of these buffers without its
    /// contents, if there was one. It waits until the driver has accepted all
    /// commands before, but not until the device has executed them.
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
    fn a_buffer_may_be_as_large_as_the_device_allows_and_no_larger() {
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
    fn a_host_without_memory_for_a_copy_says_so() {
        assert!(room::<f32>(100).unwrap().is_empty());
        let error = room::<f32>(1 << 60).unwrap_err();
        assert!(error.to_string().contains("The host has no"), "{error}");
    }
}
