//! Work that the processor's threads share.
//!
//! Most works are done in less time than it takes to wake a thread. So a thread
//! that asks for help gets a team, which looks for more to do for a while before
//! it sleeps, and of which it is a part itself: when all is done, it need not
//! wait for one that has only just been woken.

use std::cell::Cell;
use std::hint::spin_loop;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder, Yield};

/// Counts the threads that can share a work.
pub(crate) fn threads() -> usize {
    // WebAssembly has one: a page needs no pool, and does not carry it.
    if cfg!(target_arch = "wasm32") { 1 } else { rayon::current_num_threads() }
}

/// Does each of some works, by as many threads as the pool has. The one that
/// asks is among them, and does not sleep while there is something to do.
pub(crate) fn share<T>(
    works: impl Iterator<Item = T> + Send,
    work: impl Fn(T) + Sync,
) {
    if cfg!(target_arch = "wasm32") {
        return works.for_each(work);
    }
    TEAM.with(|team| team.iter().for_each(Team::wake));
    let works = Mutex::new(works);
    let next = || works.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = || {
        while let Some(it) = next() {
            work(it);
        }
    };
    let run = &run;
    rayon::in_place_scope(|scope| {
        // The first that wakes calls the others.
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
    /// The team of this thread; none where it is in a pool already.
    static TEAM: Option<Team> = Team::new();
}

/// The threads that help another one.
struct Team {
    pool: ThreadPool,
    awake: Arc<AtomicUsize>,
}

impl Team {
    /// So long they look for more to do.
    const PATIENCE: Duration = Duration::from_micros(300);

    fn new() -> Option<Team> {
        if rayon::current_thread_index().is_some() {
            return None;
        }
        let pool = ThreadPoolBuilder::new().num_threads(threads());
        let pool = pool.use_current_thread().build().ok()?;
        IS_BUSY.set(true);
        Some(Team { pool, awake: Arc::default() })
    }

    /// Wakes those that sleep.
    fn wake(&self) {
        let helpers = self.pool.current_num_threads() - 1;
        for _ in self.awake.load(Ordering::Relaxed)..helpers {
            let awake = self.awake.clone();
            awake.fetch_add(1, Ordering::Relaxed);
            self.pool.spawn(move || {
                look_for_work();
                awake.fetch_sub(1, Ordering::Relaxed);
            });
        }
    }
}

thread_local! {
    /// Whether this thread looks for work already, or has its own.
    static IS_BUSY: Cell<bool> = const { Cell::new(false) };
}

/// Does what there is to do in the pool of this thread, until there was nothing
/// for a while.
fn look_for_work() {
    if IS_BUSY.replace(true) {
        return;
    }
    let mut last = Instant::now();
    while last.elapsed() < Team::PATIENCE {
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
    fn as_many_threads_as_the_pool_has_share_what_there_is() {
        for threads in 2..=4 {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            pool.unwrap().install(|| check(threads));
        }
    }

    #[test]
    fn a_thread_that_is_in_no_pool_gets_a_team_and_is_a_part_of_it() {
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
    fn a_helper_is_called_once_and_sleeps_when_there_is_nothing_to_do() {
        let work = || TEAM.with(|team| calls(team.as_ref().unwrap()));
        thread::spawn(work).join().unwrap();
    }

    fn calls(team: &Team) {
        let helpers = team.pool.current_num_threads() - 1;
        let awake = || team.awake.load(Ordering::Relaxed);
        // Until all are here, and then until they have been called.
        let gate = Arc::new(Barrier::new(helpers + 1));
        let at_gate = gate.clone();
        team.pool.spawn_broadcast(move |helper| {
            if helper.index() > 0 {
                at_gate.wait();
                at_gate.wait();
            }
        });
        gate.wait();
        for _ in 0..2 {
            team.wake();
            assert_eq!(awake(), helpers);
        }
        gate.wait();
        until(|| awake() == 0);
        // The one that asks has its own work, and never looks for more.
        let busy = team.pool.broadcast(|_| IS_BUSY.get());
        assert!(busy[0] && !busy[1..].contains(&true), "{busy:?}");
    }

    #[test]
    fn a_helper_that_is_called_looks_for_more_to_do() {
        let work = || {
            let pool = ThreadPoolBuilder::new().num_threads(2);
            let pool = pool.use_current_thread().build().unwrap();
            let team = Team { pool, awake: Arc::default() };
            // The helper finds its call first, and this within its look.
            until(|| {
                team.wake();
                let (tell, told) = mpsc::channel();
                team.pool.spawn(move || tell.send(IS_BUSY.get()).unwrap());
                told.recv().unwrap()
            });
        };
        thread::spawn(work).join().unwrap();
    }

    /// Waits for a minute at most: no machine is so slow.
    fn until(mut has_come: impl FnMut() -> bool) {
        let limit = Instant::now() + Duration::from_secs(60);
        while !has_come() {
            assert!(Instant::now() < limit, "a minute has been too short");
            thread::sleep(Duration::from_micros(10));
        }
    }

    #[test]
    fn a_helper_looks_for_a_while_and_not_within_its_own_look() {
        let work = || {
            let start = Instant::now();
            look_for_work();
            assert!(start.elapsed() >= Team::PATIENCE && !IS_BUSY.get());
            IS_BUSY.set(true);
            look_for_work();
            assert!(IS_BUSY.get(), "it has been ended by another");
        };
        thread::spawn(work).join().unwrap();
    }

    #[test]
    fn each_work_is_done_once_within_another_and_after_a_panic() {
        let work = || {
            for (outer, inner) in [(1000, 1), (1, 1000), (7, 9), (0, 5)] {
                let done = AtomicUsize::new(0);
                share(0..outer, |i| {
                    share(0..inner, |j| {
                        done.fetch_add(i * inner + j + 1, Ordering::Relaxed);
                    });
                });
                let all = outer * inner;
                assert_eq!(done.into_inner(), all * (all + 1) / 2);
            }
            let fails = |it| assert!(it != 4, "on purpose");
            let fails = panic::catch_unwind(|| share(0..9, fails));
            assert!(fails.is_err(), "the panic of a helper is lost");
            check(threads());
        };
        thread::spawn(work).join().unwrap();
    }

    /// Lets each thread of a pool have one of as many works.
    fn check(threads: usize) {
        // A work waits until all threads have one.
        let (all, seen) = (Barrier::new(threads), Mutex::new(vec![]));
        let work = |it: usize| {
            all.wait();
            let id = thread::current().id();
            seen.lock().unwrap().push((it, id));
        };
        share(0..threads, work);
        let seen: Vec<_> = seen.into_inner().unwrap();
        let works: HashSet<usize> = seen.iter().map(|it| it.0).collect();
        let seen: HashSet<_> = seen.iter().map(|it| it.1).collect();
        assert_eq!((works.len(), seen.len()), (threads, threads));
    }
}
