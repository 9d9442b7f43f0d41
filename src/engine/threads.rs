//! Parallel loops on the CPU, all in one rayon pool.
//!
//! The thread that runs the first parallel loop becomes a worker of the pool.
//! Its loops therefore never wait for a worker that is still waking up: the
//! caller itself executes the tasks that no other worker has taken. Loops of
//! other threads run in the same pool, and loops of a thread that belongs to a
//! pool of the program run in that pool.
//!
//! One rule decides how many threads a loop uses: [`threads_for`]. For its
//! measurements see docs/benchmarks.md#thread-pool.

use std::sync::{LazyLock, Mutex, PoisonError};

use rayon::{Scope, ThreadPool, ThreadPoolBuilder};

/// The cost of the smallest loop that is divided among threads. The unit is
/// the time to read an element from memory and write a result, about half a
/// nanosecond.
const MIN_PARALLEL_COST: usize = 1 << 16;
/// The smallest cost that is worth a further thread.
const MIN_THREAD_COST: usize = 1 << 13;
/// How many multiplications and additions of a matrix product take the time of
/// one unit of cost.
const PRODUCTS_PER_COST: usize = 8;

/// Returns the number of threads for a loop of this cost.
pub(crate) fn threads_for(cost: usize) -> usize {
    if cost < MIN_PARALLEL_COST {
        return 1;
    }
    all_threads().min(cost / MIN_THREAD_COST)
}

/// Returns the number of threads for this many multiplications of a matrix
/// product.
pub(crate) fn threads_for_products(products: usize) -> usize {
    threads_for(products / PRODUCTS_PER_COST)
}

/// Returns the number of threads of the pool in which loops of this thread
/// run.
fn all_threads() -> usize {
    // WebAssembly has one thread; without a pool, a page's engine is smaller.
    if cfg!(target_arch = "wasm32") {
        return 1;
    }
    match pool() {
        Some(pool) => pool.current_num_threads(),
        None => rayon::current_num_threads(),
    }
}

/// Runs `work` on every item, with up to `threads` threads of the pool. The
/// calling thread is one of them.
///
/// Each worker starts with its own section of the items and then helps with
/// the other sections. In loops of equal length a worker therefore processes
/// the same elements again, which its cache may still hold.
pub(crate) fn parallel_for<T: Send>(
    threads: usize,
    items: impl ExactSizeIterator<Item = T>,
    work: impl Fn(T) + Sync,
) {
    let threads = threads.min(items.len());
    if threads <= 1 || cfg!(target_arch = "wasm32") {
        return items.for_each(work);
    }
    let sections = &sections(threads, items);
    let run = &|| {
        let first = rayon::current_thread_index().unwrap_or(0);
        for i in 0..threads {
            let section = &sections[(first + i) % threads];
            let next = || {
                section.lock().unwrap_or_else(PoisonError::into_inner).next()
            };
            while let Some(item) = next() {
                work(item);
            }
        }
    };
    in_pool(|scope| {
        // The first worker spawns the tasks of the others, off this thread.
        scope.spawn(move |scope| {
            for _ in 2..threads {
                scope.spawn(move |_| run());
            }
            run();
        });
        run();
    });
}

/// Items that one worker takes first.
type Section<T> = Mutex<std::vec::IntoIter<T>>;

/// Divides the items into sections of about equal length, in order.
fn sections<T>(
    count: usize,
    mut items: impl ExactSizeIterator<Item = T>,
) -> Vec<Section<T>> {
    let all = items.len();
    let section = |i| {
        let length = all * (i + 1) / count - all * i / count;
        let items: Vec<T> = items.by_ref().take(length).collect();
        Mutex::new(items.into_iter())
    };
    (0..count).map(section).collect()
}

/// Runs `spawn` on this thread, and waits for the tasks that it spawns.
fn in_pool<'s>(spawn: impl FnOnce(&Scope<'s>)) {
    match pool() {
        Some(pool) => pool.in_place_scope(spawn),
        None => rayon::in_place_scope(spawn),
    }
}

/// Returns the pool of the process, or `None` if this thread is a worker of a
/// pool.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: LazyLock<Option<ThreadPool>> = LazyLock::new(|| {
        ThreadPoolBuilder::new().use_current_thread().build().ok()
    });
    match rayon::current_thread_index() {
        Some(_) => None,
        None => POOL.as_ref(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::{panic, thread};

    use super::*;

    fn in_pool_of(threads: usize, test: impl FnOnce() + Send) {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(test);
    }

    #[test]
    fn each_thread_gets_the_minimum_cost() {
        let least = MIN_PARALLEL_COST;
        in_pool_of(10, || {
            let costs = [0, least - 1, least, least + 2 * MIN_THREAD_COST];
            assert_eq!(costs.map(threads_for), [1, 1, 8, 10]);
            assert_eq!(threads_for(usize::MAX), 10);
            let products = least * PRODUCTS_PER_COST;
            assert_eq!(threads_for_products(products), 8);
            assert_eq!(threads_for_products(products - 1), 1);
        });
        in_pool_of(1, || assert_eq!(threads_for(usize::MAX), 1));
    }

    #[test]
    fn every_thread_of_the_pool_takes_part() {
        for threads in 2..=4 {
            in_pool_of(threads, || check(threads));
        }
    }

    #[test]
    fn threads_outside_a_pool_share_one() {
        let work = || {
            let threads = all_threads();
            for _ in 0..100 {
                check(threads);
            }
            pool().map(|pool| std::ptr::from_ref(pool) as usize)
        };
        // One after the other: each check needs all workers at once.
        let run = |()| thread::spawn(work).join().unwrap();
        let pools = [(); 3].map(run);
        // A thread that created the pool is now a worker.
        let known: HashSet<usize> = pools.into_iter().flatten().collect();
        assert_eq!(known.len(), 1);
        in_pool_of(2, || assert!(pool().is_none()));
    }

    #[test]
    fn sections_have_all_items_in_order() {
        for (count, lengths) in
            [(1, vec![7]), (3, vec![2, 2, 3]), (7, vec![1; 7])]
        {
            let all = sections(count, 0..7);
            let all = all.into_iter().map(|it| it.into_inner().unwrap());
            let all: Vec<Vec<i32>> = all.map(Iterator::collect).collect();
            assert_eq!(all.iter().map(Vec::len).collect::<Vec<_>>(), lengths);
            assert_eq!(all.concat(), (0..7).collect::<Vec<_>>());
        }
    }

    #[test]
    fn nested_work_runs_once_also_after_a_panic() {
        let work = || {
            for (outer, inner) in [(1000, 1), (1, 1000), (7, 9), (0, 5)] {
                let done = AtomicUsize::new(0);
                parallel_for(9, 0..outer, |i| {
                    parallel_for(9, 0..inner, |j| {
                        done.fetch_add(i * inner + j + 1, Ordering::Relaxed);
                    });
                });
                let all = outer * inner;
                assert_eq!(done.into_inner(), all * (all + 1) / 2);
            }
            let fails = |item| assert!(item != 4, "on purpose");
            let fails = panic::catch_unwind(|| parallel_for(3, 0..9, fails));
            assert!(fails.is_err(), "the panic of a worker is lost");
            check(3);
        };
        in_pool_of(3, work);
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
        parallel_for(threads, 0..threads, work);
        let (items, ids): (HashSet<_>, HashSet<_>) =
            seen.into_inner().unwrap().into_iter().unzip();
        assert_eq!((items.len(), ids.len()), (threads, threads));
    }
}
