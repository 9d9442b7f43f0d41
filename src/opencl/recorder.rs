//! Records the commands that go to a device: the call on the host, and, from
//! its event, its times on the device.
//!
//! While nothing is recorded, a call costs one atomic load. A recording
//! belongs to one thread, so that tests can run in parallel. `--trace` records
//! the calls of every thread, including those that have a recording already.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Instant;

use super::device::DeviceInfo;
use super::event::Event;
use crate::Error;
use crate::scope;
use crate::timeline::{Slice, SliceKind, Timeline, Times};

/// Records the calls that `work` makes in this thread.
///
/// ```no_run
/// # fn main() -> Result<(), rungrad::Error> {
/// use rungrad::opencl::{Gpu, record};
///
/// let gpu = Gpu::first()?;
/// let (buffer, timeline) = record(|| gpu.upload(&[1.0_f32, 2.0]))?;
/// print!("{}", timeline.text());
/// # buffer.map(drop)
/// # }
/// ```
pub fn record<T>(work: impl FnOnce() -> T) -> Result<(T, Timeline), Error> {
    /// Restores the previous recording of this thread, also after a panic.
    struct Outer(Option<Shared>);
    impl Drop for Outer {
        fn drop(&mut self) {
            THIS_THREAD.set(self.0.take());
            ACTIVE.fetch_sub(1, Ordering::Relaxed);
        }
    }
    let recording = Shared::default();
    ACTIVE.fetch_add(1, Ordering::Relaxed);
    let outer = Outer(THIS_THREAD.replace(Some(Arc::clone(&recording))));
    let value = work();
    drop(outer);
    Ok((value, lock(&recording).timeline()?))
}

/// Starts to record the calls of every thread, until [`stop`].
pub(crate) fn start() {
    ACTIVE.fetch_add(1, Ordering::Relaxed);
    *lock(&ALL_THREADS) = Some(Shared::default());
}

/// Stops recording, and returns what was recorded since [`start`].
pub(crate) fn stop() -> Result<Timeline, Error> {
    let Some(recording) = lock(&ALL_THREADS).take() else {
        return Ok(Timeline::default());
    };
    ACTIVE.fetch_sub(1, Ordering::Relaxed);
    lock(&recording).timeline()
}

/// The number of active recordings.
static ACTIVE: AtomicUsize = AtomicUsize::new(0);
static ALL_THREADS: Mutex<Option<Shared>> = Mutex::new(None);

thread_local! {
    static THIS_THREAD: RefCell<Option<Shared>> = const { RefCell::new(None) };
}

type Shared = Arc<Mutex<Recording>>;

/// Locks a recording. A panic leaves no partially written slice.
fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A recorded call that has begun and has not returned yet.
pub(super) struct Call {
    /// The recording of this thread, and the one of all threads.
    recordings: Vec<Shared>,
    began: Instant,
    /// The earliest time at which the event can be in the queue.
    queues: Instant,
    holds: Option<String>,
}

/// Records the beginning of a call, if a recording is active.
pub(super) fn call() -> Option<Call> {
    if ACTIVE.load(Ordering::Relaxed) == 0 {
        return None;
    }
    let own = THIS_THREAD.with_borrow(Option::clone);
    let all_threads = lock(&ALL_THREADS).clone();
    let recordings: Vec<Shared> = own.into_iter().chain(all_threads).collect();
    if recordings.is_empty() {
        return None;
    }
    let began = Instant::now();
    Some(Call { recordings, began, queues: began, holds: None })
}

impl Call {
    /// Records that the host's preparation is done and the driver is called,
    /// and the operations of the kernel, if it was generated.
    pub(super) fn queues(&mut self, holds: &str) {
        self.holds = Some(holds.to_string()).filter(|it| !it.is_empty());
        self.queues = Instant::now();
    }

    /// Records that the call has returned, with its event if it has one.
    pub(super) fn returned(
        self,
        device: &'static DeviceInfo,
        (kind, name, amount): (SliceKind, &str, String),
        bytes: u64,
        event: Option<Event>,
    ) {
        let now = Instant::now();
        for recording in &self.recordings {
            let mut recording = lock(recording);
            let slice = Slice {
                kind,
                name: name.to_string(),
                amount: amount.clone(),
                bytes,
                device: device.index,
                thread: recording.thread(),
                part: scope::current(),
                holds: self.holds.clone(),
                call: [recording.since(self.began), recording.since(now)],
                times: None,
            };
            let queues = recording.since(self.queues);
            recording.add(device, slice, queues, event.clone());
        }
    }
}

/// The slices recorded so far.
struct Recording {
    zero: Instant,
    slices: Vec<Slice>,
    threads: Vec<ThreadId>,
    lanes: Vec<Lane>,
    failed: Option<Error>,
}

/// A device that takes part.
struct Lane {
    device: &'static DeviceInfo,
    /// The events whose times have not been queried yet.
    pending: VecDeque<PendingEvent>,
    /// A lower bound of the host's clock minus the device's clock. An event
    /// cannot be in the queue before the host calls the driver, so each event
    /// gives a lower bound, and the largest is the closest. The drift of the
    /// clocks over minutes is ignored.
    clock_offset: Option<i128>,
}

/// The event of the slice with this index, and the earliest time at which it
/// can be in the queue.
struct PendingEvent {
    at: usize,
    queues: u64,
    event: Event,
}

/// Maximum number of pending events per device: a driver becomes slow if it
/// has to keep too many.
const MAX_PENDING_EVENTS: usize = 512;

impl Default for Recording {
    fn default() -> Recording {
        Recording {
            zero: Instant::now(),
            slices: vec![],
            threads: vec![],
            lanes: vec![],
            failed: None,
        }
    }
}

impl Recording {
    fn since(&self, moment: Instant) -> u64 {
        let since = moment.saturating_duration_since(self.zero);
        since.as_nanos().try_into().unwrap_or(u64::MAX)
    }

    /// Returns the number of this thread, in the order of the first calls.
    fn thread(&mut self) -> usize {
        let id = thread::current().id();
        let known = self.threads.iter().position(|known| *known == id);
        known.unwrap_or_else(|| {
            self.threads.push(id);
            self.threads.len() - 1
        })
    }

    fn lane(&mut self, device: &'static DeviceInfo) -> usize {
        let is_its = |lane: &Lane| lane.device.index == device.index;
        let known = self.lanes.iter().position(is_its);
        known.unwrap_or_else(|| {
            let pending = VecDeque::new();
            self.lanes.push(Lane { device, pending, clock_offset: None });
            self.lanes.len() - 1
        })
    }

    fn add(
        &mut self,
        device: &'static DeviceInfo,
        slice: Slice,
        queues: u64,
        event: Option<Event>,
    ) {
        let (at, lane) = (self.slices.len(), self.lane(device));
        // These calls wait for everything before them, so querying the events
        // does not wait.
        let all_ended =
            matches!(slice.kind, SliceKind::Read | SliceKind::Finish);
        self.slices.push(slice);
        let pending = &mut self.lanes[lane].pending;
        pending.extend(event.map(|event| PendingEvent { at, queues, event }));
        if all_ended {
            self.ask(lane, 0);
        } else if pending.len() > MAX_PENDING_EVENTS {
            self.ask(lane, MAX_PENDING_EVENTS / 2);
        }
    }

    /// Queries the times of the oldest pending events of a lane, all but the
    /// last `keep`.
    fn ask(&mut self, lane: usize, keep: usize) {
        let Lane { pending, clock_offset, .. } = &mut self.lanes[lane];
        let oldest = ..pending.len().saturating_sub(keep);
        for PendingEvent { at, queues, event } in pending.drain(oldest) {
            match event.times() {
                Ok(times) => {
                    self.slices[at].times = Some(times);
                    let here = i128::from(queues) - i128::from(times.queued);
                    *clock_offset = (*clock_offset).max(Some(here));
                }
                Err(error) => {
                    self.failed.get_or_insert(error);
                }
            }
        }
    }

    /// Converts all times to one clock, which starts with the first call.
    fn timeline(&mut self) -> Result<Timeline, Error> {
        for lane in 0..self.lanes.len() {
            self.ask(lane, 0);
        }
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let mut slices = std::mem::take(&mut self.slices);
        // A build returns before the launch that caused it but was called
        // after it.
        slices.sort_by_key(|slice| slice.call[0]);
        let first = slices.first().map_or(0, |slice| slice.call[0]);
        for slice in &mut slices {
            slice.call = slice.call.map(|moment| moment - first);
            let is_its = |lane: &&Lane| lane.device.index == slice.device;
            let lane = self.lanes.iter().find(is_its);
            let clock_offset =
                lane.and_then(|lane| lane.clock_offset).unwrap_or(0);
            let here = |moment: u64| {
                let here =
                    i128::from(moment) + clock_offset - i128::from(first);
                u64::try_from(here).unwrap_or(0)
            };
            slice.times = slice.times.map(|times| Times {
                queued: here(times.queued),
                submitted: here(times.submitted),
                started: here(times.started),
                ended: here(times.ended),
            });
        }
        let name = |lane: &Lane| (lane.device.index, lane.device.name.clone());
        let mut devices: Vec<_> = self.lanes.iter().map(name).collect();
        devices.sort();
        Ok(Timeline { devices, slices })
    }
}
