//! A device that is open: its context, its queue, its memory count. It knows
//! neither buffers nor launches: each of them says how a device makes it.

use std::env;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use ocl::core::{self, Context, ContextProperties};

use super::device::{DeviceInfo, devices, not_forked};
use super::program::{Known, Programs};
use super::queue::{self, Queue};
use super::recorder;
use super::source::{Code, Kernel, Source};
use super::status::refusal;
use super::submission::SubmissionThread;
use crate::Error;
use crate::ledger::Memory;
use crate::timeline::SliceKind;

/// The variable that picks the device of [`Gpu::first`].
pub const DEVICE_VARIABLE: &str = "RUNGRAD_DEVICE";

/// The devices that are open, by index. A failure to open is not kept: the
/// next call tries again.
static OPENED: OnceLock<Vec<OnceLock<Open>>> = OnceLock::new();

/// An open OpenCL device, which is not always a graphics processor. A clone
/// is one more name for the same device.
#[derive(Clone)]
pub struct Gpu(pub(super) &'static Open);

/// One context and one in-order queue for each device, until the process
/// ends: what the driver would free then, nobody needs to free before.
pub(super) struct Open {
    pub(super) info: &'static DeviceInfo,
    pub(super) context: Context,
    queue: Mutex<Queue>,
    failures: Arc<AtomicU64>,
    /// Started by the first launch.
    submission: OnceLock<Option<SubmissionThread>>,
    programs: Mutex<Programs>,
    now: AtomicU64,
    peak: AtomicU64,
}

impl Gpu {
    /// Opens a device by its index in [`devices`].
    pub fn open(index: usize) -> Result<Gpu, Error> {
        // One driver may serve two devices, so only one is opened at a time.
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

        let found = devices()?;
        let Some(info) = found.get(index) else {
            return Err(no_device(index, found));
        };
        let opened = OPENED
            .get_or_init(|| found.iter().map(|_| OnceLock::new()).collect());
        if let Some(open) = opened[index].get() {
            return Ok(Gpu(open));
        }
        let _turn =
            ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        if opened[index].get().is_none() {
            // Only the holder of the lock sets it.
            let _ = opened[index].set(Open::new(info)?);
        }
        Ok(Gpu(opened[index].get().expect("it was just set")))
    }

    /// Opens the device that the variable `RUNGRAD_DEVICE` names, else the
    /// first.
    pub fn first() -> Result<Gpu, Error> {
        match env::var(DEVICE_VARIABLE) {
            Ok(name) if !name.is_empty() => Gpu::open(index_of(&name)?),
            _ => Gpu::open(0),
        }
    }

    /// Returns what the device says about itself.
    pub fn info(&self) -> &'static DeviceInfo {
        self.0.info
    }

    /// Returns the device's name.
    pub fn name(&self) -> &str {
        &self.0.info.name
    }

    /// Compiles a kernel, which a launch otherwise does when it needs it.
    pub fn compile(&self, kernel: &Kernel) -> Result<(), Error> {
        self.0.kernel(kernel.code()).map(drop)
    }

    /// Counts the bytes in this device's buffers, now and at the peak.
    pub fn memory(&self) -> Memory {
        Memory {
            now: self.0.now.load(Ordering::Relaxed),
            peak: self.0.peak.load(Ordering::Relaxed),
            cached: 0,
        }
    }

    /// Waits until the device has done all that was asked of it. Returns the
    /// failure of a command whose results are still held, if no call has
    /// returned it yet.
    pub fn finish(&self) -> Result<(), Error> {
        let call = recorder::call();
        self.0.queue()?.finish_and_report()?;
        queue::waited();
        if let Some(call) = call {
            let what = (SliceKind::Finish, "finish", String::new());
            call.returned(self.0.info, what, 0, None);
        }
        Ok(())
    }

    /// Returns how many commands have failed in the submission thread.
    pub(crate) fn failures(&self) -> u64 {
        self.0.failures.load(Ordering::Relaxed)
    }

    /// Notes that the buffers have grown, or, by a negative number, shrunk.
    pub(super) fn note_memory(&self, bytes: i64) {
        let before = self.0.now.fetch_add(bytes as u64, Ordering::Relaxed);
        let now = before.wrapping_add(bytes as u64);
        if bytes > 0 {
            self.0.peak.fetch_max(now, Ordering::Relaxed);
        }
    }
}

/// Waits for the devices when its thread ends. A process ends with its main
/// thread, and its drivers are taken down then: PoCL's threads do not survive
/// that at work.
struct Ending;

thread_local! {
    static ENDING: Ending = const { Ending };
}

impl Drop for Ending {
    fn drop(&mut self) {
        // The child of a fork has no threads that could do the work.
        if not_forked().is_err() {
            return;
        }
        for open in OPENED.get().into_iter().flatten() {
            let Some(open) = open.get() else { continue };
            if let Some(Some(thread)) = open.submission.get() {
                thread.flush();
            }
            // A thread that has the queue now waits for the device itself.
            if let Ok(mut queue) = open.queue.try_lock() {
                // Nobody is left to be told of a failure.
                let _ = queue.finish();
            }
        }
    }
}

impl Open {
    /// Locks the queue, for one thread at a time. By the standard any number
    /// may use it at once. NVIDIA's driver 580.159 does not survive that: on
    /// eight threads the tests of Part 3 crashed inside it, launching and
    /// copying, in each of six runs, and in none since the threads take turns.
    /// A copy and `finish` keep their turn until the device is done, and the
    /// others wait with them.
    pub(super) fn queue(&self) -> Result<MutexGuard<'_, Queue>, Error> {
        not_forked()?;
        // An ending thread has its wait behind it, or will not come to it.
        let _ = ENDING.try_with(|_| ());
        if let Some(Some(thread)) = self.submission.get() {
            thread.flush();
        }
        Ok(self.queue.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the thread that submits commands, if this device has one.
    pub(super) fn submission(
        &'static self,
    ) -> Option<&'static SubmissionThread> {
        let _ = ENDING.try_with(|_| ());
        let start = || SubmissionThread::new(self.info, &self.queue);
        self.submission.get_or_init(start).as_ref()
    }

    /// Returns a kernel as this device has compiled it, which is kept.
    pub(super) fn kernel(&self, code: Code) -> Result<Arc<Known>, Error> {
        not_forked()?;
        self.programs().kernel(code)
    }

    pub(super) fn programs(&self) -> MutexGuard<'_, Programs> {
        // A panic while the lock was held has left no half-made program.
        self.programs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn new(info: &'static DeviceInfo) -> Result<Open, Error> {
        let opening = |error| {
            refusal(&format!("Opening the device {}", info.name), error)
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

/// Reads the index in `gpu` or `gpu:1`.
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
    /// Lets a kernel of somebody else's stand in for one of this crate's: from
    /// now on this device runs it wherever that one is launched, with the same
    /// arguments and sizes.
    ///
    /// # Safety
    ///
    /// The caller promises of all these launches what
    /// [`Launch::run`](super::Launch) asks for: the kernel reaches no further
    /// than the one that it stands in for, and all its work-items come to an
    /// end.
    pub unsafe fn stand_in(
        &self,
        kernel: &Kernel,
        source: &Source,
    ) -> Result<(), Error> {
        self.0.programs().stand_in(kernel.name(), source.code())
    }
}
