//! Ranks that are threads of one process, on a network that is real or
//! simulated.
//!
//! Every message carries the time of its arrival on a simulated clock, so the
//! duration of an algorithm on a network that does not exist is computed from
//! latencies and bandwidths, and is the same in every run. [`run`] uses a
//! network without costs.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use rungrad::{Error, Result};

use super::{Collective, Link, buffers};

/// The cost of a message on the link between two ranks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cost {
    /// The time from the end of sending to the arrival, in seconds.
    pub latency: f64,
    /// Bytes per second.
    pub bandwidth: f64,
}

/// A network of threads: its size, its costs and its time limit.
pub struct Network {
    size: usize,
    cost: Box<dyn Fn(usize, usize) -> Cost + Send + Sync>,
    limit: Duration,
    inboxes: Vec<Inbox>,
    /// The rank whose end was noticed first.
    lost: OnceLock<usize>,
}

/// The messages that one rank has not received yet.
#[derive(Default)]
struct Inbox {
    state: Mutex<InboxState>,
    changed: Condvar,
}

#[derive(Default)]
struct InboxState {
    /// Arrival times and values, by sender.
    messages: HashMap<usize, VecDeque<(f64, Vec<f32>)>>,
    /// The ranks that will send nothing more.
    ended: HashSet<usize>,
}

impl Inbox {
    /// A thread that panics while it holds the lock leaves a complete state.
    fn lock(&self) -> MutexGuard<'_, InboxState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Network {
    /// Creates a network without costs, whose ranks wait for a message for at
    /// most 60 seconds.
    ///
    /// # Panics
    ///
    /// If `size` is 0.
    pub fn new(size: usize) -> Network {
        assert!(size > 0, "a network needs at least 1 rank");
        let free = Cost { latency: 0.0, bandwidth: f64::INFINITY };
        Network {
            size,
            cost: Box::new(move |_, _| free),
            limit: Duration::from_secs(60),
            inboxes: (0..size).map(|_| Inbox::default()).collect(),
            lost: OnceLock::new(),
        }
    }

    /// Simulates a network in which a message from one rank to another has the
    /// cost `cost(from, to)`.
    pub fn with_cost(
        self,
        cost: impl Fn(usize, usize) -> Cost + Send + Sync + 'static,
    ) -> Network {
        Network { cost: Box::new(cost), ..self }
    }

    /// Sets how long a rank waits for a message before it reports an error.
    pub fn with_limit(self, limit: Duration) -> Network {
        Network { limit, ..self }
    }

    /// Runs `work` on one thread per rank, and returns the results in the order
    /// of the ranks.
    ///
    /// # Panics
    ///
    /// If `work` panics on a rank.
    pub fn run<T: Send>(self, work: impl Fn(Collective) -> T + Sync) -> Vec<T> {
        let network = &Arc::new(self);
        let work = &work;
        thread::scope(|scope| {
            let start = |rank| {
                let link =
                    LocalLink { rank, network: network.clone(), time: 0.0 };
                scope.spawn(move || {
                    let collective = Collective::new(|| Ok(link));
                    work(collective.expect("a local link needs no connection"))
                })
            };
            let ranks: Vec<_> = (0..network.size).map(start).collect();
            let join = |rank: thread::ScopedJoinHandle<T>| {
                rank.join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            };
            ranks.into_iter().map(join).collect()
        })
    }
}

/// Runs `work` on `size` threads, each of which is a rank, and returns the
/// results in the order of the ranks.
///
/// # Panics
///
/// If `size` is 0, or `work` panics on a rank.
pub fn run<T: Send>(
    size: usize,
    work: impl Fn(Collective) -> T + Sync,
) -> Vec<T> {
    Network::new(size).run(work)
}

/// The link of one rank of a [`Network`].
struct LocalLink {
    rank: usize,
    network: Arc<Network>,
    time: f64,
}

impl Link for LocalLink {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.network.size
    }

    fn exchange(
        &mut self,
        to: usize,
        values: &[f32],
        from: usize,
        receive: &mut dyn FnMut(&[f32]),
    ) -> Result<()> {
        let mut message = buffers::take(values.len());
        message.extend_from_slice(values);
        self.send(to, message);
        let message = self.receive(from)?;
        receive(&message);
        buffers::give_back(message);
        Ok(())
    }

    fn time(&self) -> f64 {
        self.time
    }

    fn advance_to(&mut self, time: f64) {
        self.time = self.time.max(time);
    }
}

impl LocalLink {
    // ANCHOR: send
    fn send(&mut self, to: usize, values: Vec<f32>) {
        let cost = (self.network.cost)(self.rank, to);
        self.time += size_of_val(&values[..]) as f64 / cost.bandwidth;
        let message = (self.time + cost.latency, values);
        let inbox = &self.network.inboxes[to];
        let mut state = inbox.lock();
        state.messages.entry(self.rank).or_default().push_back(message);
        inbox.changed.notify_one();
    }
    // ANCHOR_END: send

    fn receive(&mut self, from: usize) -> Result<Vec<f32>> {
        let network = &self.network;
        let inbox = &network.inboxes[self.rank];
        let end = Instant::now() + network.limit;
        let mut state = inbox.lock();
        loop {
            let queue = state.messages.get_mut(&from);
            if let Some((arrival, values)) = queue.and_then(VecDeque::pop_front)
            {
                self.time = self.time.max(arrival);
                return Ok(values);
            }
            if state.ended.contains(&from) {
                let lost = network.lost.get_or_init(|| from);
                return Err(Error::Device(format!(
                    "rank {lost} ended before the others; its output has the \
                     cause; continue from the last checkpoint"
                )));
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(Error::Device(format!(
                    "rank {from} sent nothing to rank {} for {:?}; look for a \
                     rank that waits or computes forever, or raise the limit",
                    self.rank, network.limit
                )));
            }
            let waited = inbox.changed.wait_timeout(state, left);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// Informs the other ranks that no message follows.
impl Drop for LocalLink {
    fn drop(&mut self) {
        for inbox in &self.network.inboxes {
            inbox.lock().ended.insert(self.rank);
            inbox.changed.notify_one();
        }
    }
}
