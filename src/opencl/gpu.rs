//! An open device: its context, its queue and its memory count. It does not
//! depend on buffers or launches; those modules extend [`Gpu`].

use std::env;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use ocl::core::{self, Context, ContextProperties};

use super::device::{DeviceInfo, devices, not_forked};
use super::program::{CompiledKernel, Programs};
use super::queue::{self, Command, Queue};
use super::recorder;
use super::source::{Code, Kernel, Source};
use super::status::driver_error;
use super::submission::SubmissionThread;
use crate::Error;
use crate::ledger::Memory;
use crate::timeline::SliceKind;

/// The environment variable that selects the device of [`Gpu::first`].
pub const DEVICE_VARIABLE: &str = "RUNGRAD_DEVICE";

static OPENED: PerDevice<Open> = PerDevice::new();

/// One value for each OpenCL device, created on first use.
pub(crate) struct PerDevice<T> {
    /// By the index of the device in [`devices`].
    values: OnceLock<Vec<OnceLock<T>>>,
    creation: Mutex<()>,
}

impl<T> PerDevice<T> {
    pub(crate) const fn new() -> PerDevice<T> {
        PerDevice { values: OnceLock::new(), creation: Mutex::new(()) }
    }

    /// Returns the value of a device; creates it if necessary. Only one value
    /// is created at a time. A failure is not cached: the next call tries
    /// again.
    pub(crate) fn get_or_create(
        &self,
        index: usize,
        create: impl FnOnce() -> Result<T, Error>,
    ) -> Result<&T, Error> {
        let value = || self.values.get()?.get(index)?.get();
        if let Some(value) = value() {
            return Ok(value);
        }
        let found = devices()?;
        let values = self
            .values
            .get_or_init(|| found.iter().map(|_| OnceLock::new()).collect());
        let slot = values.get(index).ok_or_else(|| no_device(index, found))?;
        let lock = self.creation.lock();
        let _guard = lock.unwrap_or_else(PoisonError::into_inner);
        if let Some(value) = slot.get() {
            return Ok(value);
        }
        let value = create()?;
        Ok(slot.get_or_init(|| value))
    }
}

/// An open OpenCL device, which may be any processor, not only a GPU. Clones
/// refer to the same device.
#[derive(Clone)]
pub struct Gpu(pub(super) &'static Open);

/// One context and one queue of commands per device. They are never freed,
/// because the driver frees them when the process ends.
pub(super) struct Open {
    pub(super) info: &'static DeviceInfo,
    pub(super) context: Context,
    queue: Mutex<Queue>,
    failures: Arc<AtomicU64>,
    /// Started by the first command.
    submission: OnceLock<Option<SubmissionThread>>,
    programs: Mutex<Programs>,
    now: AtomicU64,
    peak: AtomicU64,
}

impl Gpu {
    /// Opens a device by its index in [`devices`].
    pub fn open(index: usize) -> Result<Gpu, Error> {
        let found = devices()?;
        let Some(info) = found.get(index) else {
            return Err(no_device(index, found));
        };
        // One driver may serve two devices, so only one is opened at a time.
        OPENED.get_or_create(index, || Open::new(info)).map(Gpu)
    }

    /// Opens the device that the environment variable `RUNGRAD_DEVICE` names,
    /// or the first device.
    pub fn first() -> Result<Gpu, Error> {
        match env::var(DEVICE_VARIABLE) {
            Ok(name) if !name.is_empty() => Gpu::open(index_of(&name)?),
            _ => Gpu::open(0),
        }
    }

    /// Returns the properties of the device.
    pub fn info(&self) -> &'static DeviceInfo {
        self.0.info
    }

    /// Returns the device's name.
    pub fn name(&self) -> &str {
        &self.0.info.name
    }

    /// Compiles a kernel in advance; otherwise its first launch compiles it.
    pub fn compile(&self, kernel: &Kernel) -> Result<(), Error> {
        self.0.kernel(kernel.code()).map(drop)
    }

    /// Returns the number of bytes in this device's buffers, now and at the
    /// peak.
    pub fn memory(&self) -> Memory {
        Memory {
            now: self.0.now.load(Ordering::Relaxed),
            peak: self.0.peak.load(Ordering::Relaxed),
            cached: 0,
        }
    }

    /// Waits until the device has executed all commands. Returns the failure
    /// of a command whose results are still referenced, if no call has
    /// returned it yet.
    pub fn finish(&self) -> Result<(), Error> {
        let call = recorder::call();
        self.0.queue()?.finish_and_report()?;
        queue::count_wait();
        if let Some(call) = call {
            let what = (SliceKind::Finish, "finish", String::new());
            call.returned(self.0.info, what, 0, None);
        }
        Ok(())
    }

    /// Returns the number of commands that have failed in the submission
    /// thread.
    pub(crate) fn failures(&self) -> u64 {
        self.0.failures.load(Ordering::Relaxed)
    }

    /// Records that the buffers have grown, or shrunk if `bytes` is negative.
    pub(super) fn note_memory(&self, bytes: i64) {
        let before = self.0.now.fetch_add(bytes as u64, Ordering::Relaxed);
        let now = before.wrapping_add(bytes as u64);
        if bytes > 0 {
            self.0.peak.fetch_max(now, Ordering::Relaxed);
        }
    }
}

/// Waits for the devices when its thread exits. A process ends with its main
/// thread, and the drivers are shut down at that point; PoCL's threads crash
/// if they are still working then.
struct WaitAtThreadExit;

thread_local! {
    static WAIT_AT_THREAD_EXIT: WaitAtThreadExit = const { WaitAtThreadExit };
}

impl Drop for WaitAtThreadExit {
    fn drop(&mut self) {
        // The child process of a fork has no threads that could do the work.
        if not_forked().is_err() {
            return;
        }
        for open in OPENED.values.get().into_iter().flatten() {
            let Some(open) = open.get() else { continue };
            if let Some(Some(thread)) = open.submission.get() {
                thread.flush();
            }
            // A thread that holds the queue now waits for the device itself.
            if let Ok(mut queue) = open.queue.try_lock() {
                // No caller is left to report a failure to.
                let _ = queue.finish();
            }
        }
    }
}

impl Open {
    /// Locks the queue, for one thread at a time. The OpenCL standard allows
    /// concurrent use, but NVIDIA's driver 580.159 crashes when several
    /// threads launch and copy at once. A copy and `finish` hold the lock
    /// until the device is done, and other threads wait meanwhile.
    pub(super) fn queue(&self) -> Result<MutexGuard<'_, Queue>, Error> {
        not_forked()?;
        // The guard may already be gone during thread exit; ignore that.
        let _ = WAIT_AT_THREAD_EXIT.try_with(|_| ());
        if let Some(Some(thread)) = self.submission.get() {
            thread.flush();
        }
        Ok(self.lock_queue())
    }

    /// Like [`Open::queue`], but commands that the submission thread has not
    /// issued yet may follow.
    pub(super) fn lock_queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Issues a command: at once, or through the submission thread if this
    /// device has one. The thread cannot return a failure to this caller, so
    /// there the outputs of a command that fails are lost.
    pub(super) fn issue(
        &'static self,
        mut command: impl Command,
    ) -> Result<(), Error> {
        match self.submission() {
            Some(thread) => {
                let _ = WAIT_AT_THREAD_EXIT.try_with(|_| ());
                thread.submit(command);
                Ok(())
            }
            None => command.issue(&mut *self.queue()?),
        }
    }

    /// Returns whether commands are issued by a thread while the host
    /// continues.
    pub(super) fn has_submission_thread(&'static self) -> bool {
        self.submission().is_some()
    }

    fn submission(&'static self) -> Option<&'static SubmissionThread> {
        let start = || SubmissionThread::new(self.info, &self.queue);
        self.submission.get_or_init(start).as_ref()
    }

    /// Returns a kernel compiled for this device; compiled kernels are cached.
    pub(super) fn kernel(
        &self,
        code: Code,
    ) -> Result<Arc<CompiledKernel>, Error> {
        not_forked()?;
        self.programs().kernel(code)
    }

    pub(super) fn programs(&self) -> MutexGuard<'_, Programs> {
        // A panic while the lock was held leaves no incomplete program.
        self.programs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn new(info: &'static DeviceInfo) -> Result<Open, Error> {
        let opening = |error| {
            driver_error(&format!("Opening the device {}", info.name), error)
        };
        let properties = ContextProperties::new().platform(info.platform_id);
        let context =
            core::create_context(Some(&properties), &[info.id], None, None)
                .map_err(opening)?;
        let queue = Queue::new(&context, info).map_err(opening)?;
        Ok(Open {
            info,
            failures: queue.failures(),
            queue: Mutex::new(queue),
            submission: OnceLock::new(),
            programs: Mutex::new(Programs::new(&context, info)),
            context,
            now: AtomicU64::new(0),
            peak: AtomicU64::new(0),
        })
    }
}

/// Parses the index in `gpu` or `gpu:1`.
fn index_of(name: &str) -> Result<usize, Error> {
    match name.split_once(':') {
        None if name == "gpu" => return Ok(0),
        None if name == "cpu" => {
            return Err(Error::Usage(format!(
                "{DEVICE_VARIABLE}=cpu asks for no OpenCL device, and this \
                 needs one: unset it, or set it to gpu:0."
            )));
        }
        Some(("gpu", index)) => {
            if let Ok(index) = index.parse() {
                return Ok(index);
            }
        }
        _ => {}
    }
    Err(Error::Usage(format!(
        "{DEVICE_VARIABLE}={name} names no device: it can be gpu, which is \
         the first, or gpu:0, gpu:1, as `cargo learn doctor` lists them."
    )))
}

fn no_device(index: usize, found: &[DeviceInfo]) -> Error {
    let names: Vec<String> = found.iter().map(|it| it.to_string()).collect();
    Error::NoDevice(format!(
        "There is no device gpu:{index}; this system has {}.",
        names.join(", ")
    ))
}

impl PartialEq for Gpu {
    fn eq(&self, other: &Gpu) -> bool {
        std::ptr::eq(self.0, other.0)
    }
}

impl Eq for Gpu {}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gpu:{} ({})", self.info().index, self.name())
    }
}

impl fmt::Display for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "gpu:{}", self.info().index)
    }
}

impl Gpu {
    /// Replaces a kernel of this crate by one of your own: from now on this
    /// device runs `source` wherever `kernel` is launched, with the same
    /// arguments and sizes.
    ///
    /// # Safety
    ///
    /// For all these launches the caller makes the promise of
    /// [`Launch::run`](super::Launch): the kernel accesses no more of its
    /// buffers than the kernel that it replaces, and all its work-items
    /// terminate.
    pub unsafe fn stand_in(
        &self,
        kernel: &Kernel,
        source: &Source,
    ) -> Result<(), Error> {
        self.0.programs().stand_in(kernel.code(), source.code())
    }
}
