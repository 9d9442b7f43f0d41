//! Work that the processor's threads share.

use std::sync::{Mutex, PoisonError};

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

#[cfg(test)]
mod tests {
    use std::collections::HashSet;
    use std::sync::Barrier;
    use std::thread;

    use rayon::ThreadPoolBuilder;

    use super::*;

    #[test]
    fn as_many_threads_as_the_pool_has_share_what_there_is() {
        for threads in 2..=4 {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build();
            // A work waits until all threads have one.
            let (all, seen) = (Barrier::new(threads), Mutex::new(vec![]));
            let work = |it: usize| {
                all.wait();
                let id = thread::current().id();
                seen.lock().unwrap().push((it, id));
            };
            pool.unwrap().install(|| share(0..threads, work));
            let seen: Vec<_> = seen.into_inner().unwrap();
            let works: HashSet<usize> = seen.iter().map(|it| it.0).collect();
            let threads_seen: HashSet<_> = seen.iter().map(|it| it.1).collect();
            assert_eq!((works.len(), threads_seen.len()), (threads, threads));
        }
    }
}
