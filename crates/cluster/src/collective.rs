//! Operations of all ranks, which run in the background.

use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};

use rungrad::{Error, Result};

use super::{Link, algorithms};

/// What one rank does together with all others. Every rank calls the same
/// methods in the same order.
///
/// A thread owns the [`Link`] and runs one operation after the other, while the
/// rank computes. After an error, every later operation returns the same error.
pub struct Collective {
    rank: usize,
    size: usize,
    clock: Arc<Clock>,
    /// `None` only while it is dropped.
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

/// An operation that the thread runs with its link.
type Work = Box<dyn FnOnce(&mut dyn Link) -> Result<Vec<f32>> + Send>;

struct Job {
    work: Work,
    /// The simulated time at which the rank submitted the operation.
    submitted: f64,
    reply: Sender<Result<(Vec<f32>, f64)>>,
}

impl Collective {
    /// Starts a thread that connects this rank and then runs operations. Only
    /// this thread uses the link, so libraries that are not thread-safe can be
    /// used.
    ///
    /// # Errors
    ///
    /// If `connect` fails.
    ///
    /// # Panics
    ///
    /// If the operating system cannot start a thread.
    pub fn new<L: Link>(
        connect: impl FnOnce() -> Result<L> + Send + 'static,
    ) -> Result<Collective> {
        let (jobs, queue) = mpsc::channel();
        let (connected, is_connected) = mpsc::channel();
        let thread = thread::Builder::new()
            .name("collective".to_string())
            .stack_size(256 << 10)
            .spawn(move || match connect() {
                Ok(link) => {
                    let (rank, size) = (link.rank(), link.size());
                    _ = connected.send(Ok((rank, size, link.time())));
                    run_jobs(link, queue);
                }
                Err(error) => _ = connected.send(Err(error)),
            })
            .expect("a thread for the operations of a rank");
        let (rank, size, time) =
            is_connected.recv().unwrap_or_else(|_| Err(panicked()))?;
        let clock = Arc::new(Clock(Mutex::new(time)));
        let (jobs, thread) = (Some(jobs), Some(thread));
        Ok(Collective { rank, size, clock, jobs, thread })
    }

    /// Returns the index of this rank, counted from 0.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Returns the number of ranks.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Adds the values of all ranks, element by element, in the order that is
    /// fastest; see [`algorithms::ring_all_reduce`].
    pub fn all_reduce(&self, values: Vec<f32>) -> Pending {
        self.submit(|link| algorithms::ring_all_reduce(link, values))
    }

    /// Adds the values of all shards, element by element, in an order that does
    /// not depend on the number of ranks; see [`algorithms::fixed_all_reduce`].
    pub fn fixed_all_reduce(
        &self,
        shards: usize,
        len: usize,
        blocks: Vec<Vec<f32>>,
    ) -> Pending {
        self.submit(move |link| {
            algorithms::fixed_all_reduce(link, shards, len, &blocks)
        })
    }

    /// Copies the values of rank `root` to all ranks. The other ranks' values
    /// are ignored.
    pub fn broadcast(&self, root: usize, values: Vec<f32>) -> Pending {
        self.submit(move |link| algorithms::broadcast(link, root, values))
    }

    /// Waits until every rank has called this method.
    ///
    /// # Errors
    ///
    /// If a rank has ended, or sends nothing within the time limit.
    pub fn barrier(&self) -> Result<()> {
        let barrier = |link: &mut dyn Link| {
            algorithms::barrier(link)?;
            Ok(Vec::new())
        };
        self.submit(barrier).wait().map(drop)
    }

    /// Ends the connection when every rank has called this method. A rank that
    /// drops its `Collective` without it counts as lost.
    ///
    /// # Errors
    ///
    /// If a rank has ended, or sends nothing within the time limit.
    pub fn finish(self) -> Result<()> {
        let finish = |link: &mut dyn Link| {
            link.finish()?;
            Ok(Vec::new())
        };
        self.submit(finish).wait().map(drop)
    }

    /// Runs an operation of your own after those submitted before.
    pub fn submit(
        &self,
        work: impl FnOnce(&mut dyn Link) -> Result<Vec<f32>> + Send + 'static,
    ) -> Pending {
        let (reply, result) = mpsc::channel();
        let (work, submitted) = (Box::new(work), self.clock.time());
        if let Some(jobs) = &self.jobs {
            // If the thread has panicked, `wait` reports it.
            _ = jobs.send(Job { work, submitted, reply });
        }
        Pending { result, clock: self.clock.clone() }
    }

    /// Returns the time of this rank on the clock of a simulated network, in
    /// seconds.
    pub fn time(&self) -> f64 {
        self.clock.time()
    }

    /// Lets time pass on the clock of a simulated network, as if this rank had
    /// computed for `seconds`.
    pub fn compute(&self, seconds: f64) {
        self.clock.advance_to(self.clock.time() + seconds);
    }
}

/// Waits for the operations in flight, so that no other rank misses a message.
impl Drop for Collective {
    fn drop(&mut self) {
        self.jobs = None;
        if let Some(thread) = self.thread.take() {
            // If the thread has panicked, `wait` has reported it.
            _ = thread.join();
        }
    }
}

// ANCHOR: jobs
/// Runs operations until the rank drops its [`Collective`]. An error drops the
/// link, which ends the operations of the other ranks, too.
fn run_jobs(link: impl Link, queue: Receiver<Job>) {
    let mut link = Ok(link);
    for Job { work, submitted, reply } in queue {
        let result = match &mut link {
            Ok(link) => {
                link.advance_to(submitted);
                work(link).map(|values| (values, link.time()))
            }
            Err(error) => Err(Error::clone(error)),
        };
        if let Err(error) = &result {
            link = Err(error.clone());
        }
        // A rank that does not wait for a result has dropped the receiver.
        _ = reply.send(result);
    }
}
// ANCHOR_END: jobs

/// The result of an operation that may still be running.
#[must_use = "an operation that no rank waits for can fail unnoticed"]
pub struct Pending {
    result: Receiver<Result<(Vec<f32>, f64)>>,
    clock: Arc<Clock>,
}

impl Pending {
    /// Waits for the result.
    ///
    /// # Errors
    ///
    /// If a rank has ended, or sends nothing within the time limit.
    pub fn wait(self) -> Result<Vec<f32>> {
        let (values, finished) =
            self.result.recv().unwrap_or_else(|_| Err(panicked()))?;
        self.clock.advance_to(finished);
        Ok(values)
    }
}

fn panicked() -> Error {
    let sentence = "the thread that sends and receives has panicked; its \
                    message is above";
    Error::Device(sentence.to_string())
}

/// The simulated time of a rank in seconds.
struct Clock(Mutex<f64>);

impl Clock {
    fn time(&self) -> f64 {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn advance_to(&self, time: f64) {
        let mut own = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *own = own.max(time);
    }
}
