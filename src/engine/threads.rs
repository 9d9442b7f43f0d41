//! Parallel loops on the CPU.
//!
//! Most loops finish in less time than it takes to wake a thread. Each calling
//! thread therefore gets its own rayon pool, in which it is a worker itself,
//! and the other workers spin for a while after a loop before they sleep. The
//! caller never waits for a worker that is still waking up. For measurements
//! see docs/benchmarks.md#thread-pool.
//!
//! All parallel loops of the engine use [`parallel_for`], except `sum` in
//! `cpu/reduce.rs`, which calls rayon's `par_chunks`. On a thread that has a
//! pool here, those tasks run in the same pool.

use std::cell::Cell;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder, Yield};

/// Returns the number of threads of a parallel loop.
pub(crate) fn threads() -> usize {
    // WebAssembly has one thread; without a pool, a page's engine is smaller.
    if cfg!(target_arch = "wasm32") { 1 } else { rayon::current_num_threads() }
}

/// Runs `work` on every item in parallel, with all threads of the pool. The
/// calling thread takes part and does not sleep while items are left.
pub(crate) fn parallel_for<T>(
    items: impl Iterator<Item = T> + Send,
    work: impl Fn(T) + Sync,
) {
    if cfg!(target_arch = "wasm32") {
        return items.for_each(work);
    }
    TEAM.with(|team| team.iter().for_each(Team::wake));
    let items = Mutex::new(items);
    let next = || items.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = || {
        while let Some(item) = next() {
            work(item);
        }
    };
    let run = &run;
    rayon::in_place_scope(|scope| {
        // The first worker spawns the tasks of the others, off this thread.
        scope.spawn(move |scope| {
            for _ in 2..threads() {
                scope.spawn(move |_| run());
            }
            run();
        });
        run();
    });
}

thread_local! {
    /// The team of this thread, or `None` if the thread belongs to a pool.
    static TEAM: Option<Team> = Team::new();
}

/// A pool whose worker 0 is the thread that created it. The other workers are
/// its helpers.
struct Team {
    pool: ThreadPool,
    /// The number of helpers that are awake or have been woken.
    awake: Arc<AtomicUsize>,
}

impl Team {
    /// How long a helper spins after its last task before it sleeps.
    const SPIN_TIME: Duration = Duration::from_micros(300);

    fn new() -> Option<Team> {
        if rayon::current_thread_index().is_some() {
            return None;
        }
        let pool = ThreadPoolBuilder::new().num_threads(threads());
        let pool = pool.use_current_thread().build().ok()?;
        IS_BUSY.set(true);
        Some(Team { pool, awake: Arc::default() })
    }

    /// Wakes the helpers that are asleep.
    fn wake(&self) {
        let helpers = self.pool.current_num_threads() - 1;
        for _ in self.awake.load(Ordering::Relaxed)..helpers {
            let awake = self.awake.clone();
            awake.fetch_add(1, Ordering::Relaxed);
            self.pool.spawn(move || {
                spin_for_work();
                awake.fetch_sub(1, Ordering::Relaxed);
            });
        }
    }
}

thread_local! {
    /// Whether this thread is already spinning, or is the caller of a team,
    /// which never spins.
    static IS_BUSY: Cell<bool> = const { Cell::new(false) };
}

/// Executes tasks of this thread's pool until there was none for
/// [`Team::SPIN_TIME`].
fn spin_for_work() {
    if IS_BUSY.replace(true) {
        return;
    }
    let mut last = Instant::now();
    while last.elapsed() < Team::SPIN_TIME {
        match rayon::yield_now() {
            Some(Yield::Executed) => last = Instant::now(),
            _ => spin_loop(),
        }
    }
    IS_BUSY.set(false);
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::{Barrier, mpsc};
    use std::{panic, thread};

    use rayon::ThreadPoolBuilder;

    use super::*;

    #[test]
    fn every_thread_of_the_pool_takes_part() {
        for threads in 2..=4 {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap().install(|| check(threads));
        }
    }

    #[test]
    fn a_thread_outside_a_pool_gets_its_own_team() {
        let work = || {
            assert!(rayon::current_thread_index().is_none());
            for _ in 0..100 {
                check(threads());
                assert_eq!(rayon::current_thread_index(), Some(0));
            }
        };
        thread::spawn(work).join().unwrap();
        let pool = ThreadPoolBuilder::new().num_threads(2).build().unwrap();
        assert!(pool.install(|| TEAM.with(Option::is_none)));
    }

    #[test]
    fn helpers_are_woken_once_and_sleep_when_idle() {
        let work = || TEAM.with(|team| calls(team.as_ref().unwrap()));
        thread::spawn(work).join().unwrap();
    }

    fn calls(team: &Team) {
        let helpers = team.pool.current_num_threads() - 1;
        let awake = || team.awake.load(Ordering::Relaxed);
        // Hold all helpers: the first wait ends when each has arrived, the
        // second when all have been woken.
        let gate = Arc::new(Barrier::new(helpers + 1));
        let helper_gate = gate.clone();
        team.pool.spawn_broadcast(move |helper| {
            if helper.index() > 0 {
                helper_gate.wait();
                helper_gate.wait();
            }
        });
        gate.wait();
        for _ in 0..2 {
            team.wake();
            assert_eq!(awake(), helpers);
        }
        gate.wait();
        wait_until(|| awake() == 0);
        // The calling thread never spins for work.
        let busy = team.pool.broadcast(|_| IS_BUSY.get());
        assert!(busy[0] && !busy[1..].contains(&true), "{busy:?}");
    }

    #[test]
    fn a_woken_helper_spins_for_more_work() {
        let work = || {
            let pool = ThreadPoolBuilder::new().num_threads(2);
            let pool = pool.use_current_thread().build().unwrap();
            let team = Team { pool, awake: Arc::default() };
            // The helper takes the wake-up task first, and runs this task
            // while it spins.
            wait_until(|| {
                team.wake();
                let (sender, receiver) = mpsc::channel();
                team.pool.spawn(move || sender.send(IS_BUSY.get()).unwrap());
                receiver.recv().unwrap()
            });
        };
        thread::spawn(work).join().unwrap();
    }

    /// Waits until the condition is true, for at most a minute.
    fn wait_until(mut condition: impl FnMut() -> bool) {
        let limit = Instant::now() + Duration::from_secs(60);
        while !condition() {
            assert!(Instant::now() < limit, "a minute has been too short");
            thread::sleep(Duration::from_micros(10));
        }
    }

    #[test]
    fn spinning_is_limited_in_time_and_not_nested() {
        let work = || {
            let start = Instant::now();
            spin_for_work();
            assert!(start.elapsed() >= Team::SPIN_TIME && !IS_BUSY.get());
            IS_BUSY.set(true);
            spin_for_work();
            assert!(IS_BUSY.get(), "it has been ended by another");
        };
        thread::spawn(work).join().unwrap();
    }

    #[test]
    fn nested_work_runs_once_also_after_a_panic() {
        let work = || {
            for (outer, inner) in [(1000, 1), (1, 1000), (7, 9), (0, 5)] {
                let done = AtomicUsize::new(0);
                parallel_for(0..outer, |i| {
                    parallel_for(0..inner, |j| {
                        done.fetch_add(i * inner + j + 1, Ordering::Relaxed);
                    });
                });
                let all = outer * inner;
                assert_eq!(done.into_inner(), all * (all + 1) / 2);
            }
            let fails = |item| assert!(item != 4, "on purpose");
            let fails = panic::catch_unwind(|| parallel_for(0..9, fails));
            assert!(fails.is_err(), "the panic of a helper is lost");
            check(threads());
        };
        thread::spawn(work).join().unwrap();
    }

    /// Checks that `threads` items are processed by all threads, one each.
    fn check(threads: usize) {
        // An item is done only when every thread has taken one.
        let (barrier, seen) = (Barrier::new(threads), Mutex::new(vec![]));
        let work = |item: usize| {
            barrier.wait();
            let id = thread::current().id();
            seen.lock().unwrap().push((item, id));
        };
        parallel_for(0..threads, work);
        let (items, ids): (HashSet<_>, HashSet<_>) =
            seen.into_inner().unwrap().into_iter().unzip();
        assert_eq!((items.len(), ids.len()), (threads, threads));
    }
}
