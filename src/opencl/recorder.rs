//! What goes to a device is written down where somebody asked for it: the
//! call on the host, and by its event what became of it on the device.
//!
//! While nobody asks, a call costs one look at a number. A thread has a
//! recording of its own, so that tests run side by side; `--trace` records
//! the calls of every thread, those of a recording of its own too.

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
    /// Puts back what was recorded into before, after a panic too.
    struct Outer(Option<Shared>);
    impl Drop for Outer {
        fn drop(&mut self) {
            OWN.set(self.0.take());
            ACTIVE.fetch_sub(1, Ordering::Relaxed);
        }
    }
    let recording = Shared::default();
    ACTIVE.fetch_add(1, Ordering::Relaxed);
    let outer = Outer(OWN.replace(Some(Arc::clone(&recording))));
    let value = work();
    drop(outer);
    Ok((value, lock(&recording).timeline()?))
}

/// Records the calls of every thread, from here to [`stop`].
pub(crate) fn start() {
    ACTIVE.fetch_add(1, Ordering::Relaxed);
    *lock(&EVERYBODY) = Some(Shared::default());
}

/// Ends the record, and returns what was recorded since [`start`].
pub(crate) fn stop() -> Result<Timeline, Error> {
    let Some(recording) = lock(&EVERYBODY).take() else {
        return Ok(Timeline::default());
    };
    ACTIVE.fetch_sub(1, Ordering::Relaxed);
    lock(&recording).timeline()
}

/// How many recordings there are.
static ACTIVE: AtomicUsize = AtomicUsize::new(0);
static EVERYBODY: Mutex<Option<Shared>> = Mutex::new(None);

thread_local! {
    static OWN: RefCell<Option<Shared>> = const { RefCell::new(None) };
}

type Shared = Arc<Mutex<Recording>>;

/// Locks the record. A panic leaves no slice half written.
fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A call that is recorded: it began, and has not come back yet.
pub(super) struct Call {
    /// The thread's own, and everybody's.
    recordings: Vec<Shared>,
    began: Instant,
    /// Since when the event may be in the queue.
    queues: Instant,
    holds: Option<String>,
}

/// Notes the beginning of a call, where somebody records.
pub(super) fn call() -> Option<Call> {
    if ACTIVE.load(Ordering::Relaxed) == 0 {
        return None;
    }
    let own = OWN.with_borrow(Option::clone);
    let everybody = lock(&EVERYBODY).clone();
    let recordings: Vec<Shared> = own.into_iter().chain(everybody).collect();
    if recordings.is_empty() {
        return None;
    }
    let began = Instant::now();
    Some(Call { recordings, began, queues: began, holds: None })
}

impl Call {
    /// Notes that what the host had to prepare is done, and the driver is
    /// asked for a kernel that holds these operations, if it was written.
    pub(super) fn queues(&mut self, holds: &str) {
        self.holds = Some(holds.to_string()).filter(|it| !it.is_empty());
        self.queues = Instant::now();
    }

    /// Notes that the call has come back, with its event if the device takes
    /// part.
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

/// The slices so far.
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
    /// The events that have not been asked yet.
    unasked: VecDeque<Unasked>,
    /// How far the device's clock is behind the host's, at least. Nothing is
    /// in the queue before the host puts it there, so each event gives a
    /// bound, and the largest comes closest. (Over minutes two clocks drift
    /// apart, and nobody looks at minutes by the microsecond.)
    behind: Option<i128>,
}

/// The event of the slice at a place, and since when it may be in the queue.
struct Unasked {
    at: usize,
    queues: u64,
    event: Event,
}

/// So many events of a device may be kept: a driver that keeps too many
/// becomes slow.
const MOST_UNASKED: usize = 512;

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

    /// Finds the number of this thread, in the order of the first calls.
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
            let unasked = VecDeque::new();
            self.lanes.push(Lane { device, unasked, behind: None });
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
        // These wait for all before them, so that asking costs no waiting.
        let all_ended =
            matches!(slice.kind, SliceKind::Read | SliceKind::Finish);
        self.slices.push(slice);
        let unasked = &mut self.lanes[lane].unasked;
        unasked.extend(event.map(|event| Unasked { at, queues, event }));
        if all_ended {
            self.ask(lane, 0);
        } else if unasked.len() > MOST_UNASKED {
            self.ask(lane, MOST_UNASKED / 2);
        }
    }

    /// Asks the oldest events of a lane for their times, but for the last
    /// few.
    fn ask(&mut self, lane: usize, but_for: usize) {
        let Lane { unasked, behind, .. } = &mut self.lanes[lane];
        let oldest = ..unasked.len().saturating_sub(but_for);
        for Unasked { at, queues, event } in unasked.drain(oldest) {
            match event.times() {
                Ok(times) => {
                    self.slices[at].times = Some(times);
                    let here = i128::from(queues) - i128::from(times.queued);
                    *behind = (*behind).max(Some(here));
                }
                Err(error) => {
                    self.failed.get_or_insert(error);
                }
            }
        }
    }

    /// Puts everything on one clock, which starts with the first call.
    fn timeline(&mut self) -> Result<Timeline, Error> {
        for lane in 0..self.lanes.len() {
            self.ask(lane, 0);
        }
        if let Some(error) = self.failed.take() {
            return Err(error);
        }
        let mut slices = std::mem::take(&mut self.slices);
        // A build returns before the launch that it belongs to, and was
        // called after it.
        slices.sort_by_key(|slice| slice.call[0]);
        let first = slices.first().map_or(0, |slice| slice.call[0]);
        for slice in &mut slices {
            slice.call = slice.call.map(|moment| moment - first);
            let is_its = |lane: &&Lane| lane.device.index == slice.device;
            let lane = self.lanes.iter().find(is_its);
            let behind = lane.and_then(|lane| lane.behind).unwrap_or(0);
            let here = |moment: u64| {
                let here = i128::from(moment) + behind - i128::from(first);
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
