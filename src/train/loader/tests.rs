//! Tests of the order of batches, and of the background thread.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, Weak};
use std::time::Duration;

use super::*;
use crate::attempt;
use crate::data::moons;

/// Rows whose batches are their row numbers. Counts the created batches.
#[derive(Default)]
struct Counted {
    rows: usize,
    made: AtomicUsize,
    /// The index of a batch that panics, and whether by a raised error.
    fails: Option<(usize, bool)>,
    /// Receives the index of each created batch.
    sender: Option<Mutex<Sender<usize>>>,
}

impl Counted {
    fn with_rows(rows: usize) -> Counted {
        Counted { rows, ..Counted::default() }
    }
}

impl Rows for Counted {
    type Batch = Vec<usize>;

    fn count(&self) -> usize {
        self.rows
    }

    fn batch(&self, rows: &[usize]) -> Vec<usize> {
        let made = self.made.fetch_add(1, Ordering::SeqCst);
        match self.fails {
            Some((at, true)) if at == made => {
                raise(Error::File("a file is gone; fetch it".to_string()))
            }
            Some((at, false)) if at == made => panic!("no such\nrow: 7"),
            _ => {}
        }
        if let Some(sender) = &self.sender {
            let _ = sender.lock().unwrap().send(made);
        }
        rows.to_vec()
    }
}

#[test]
fn an_epoch_contains_every_row_once() {
    let mut loader = Loader::new(Counted::with_rows(23), 5, 3);
    for epoch in 0..4 {
        assert_eq!(loader.place(), Place { seed: 3, epoch, batch: 0 });
        let batches: Vec<Vec<usize>> = loader.epoch().collect();
        let sizes: Vec<usize> = batches.iter().map(Vec::len).collect();
        assert_eq!(sizes, [5, 5, 5, 5, 3]);
        let mut all = batches.concat();
        assert!(all.windows(2).any(|pair| pair[0] > pair[1]), "in order");
        all.sort_unstable();
        assert!(all.into_iter().eq(0..23));
    }
    let even = Loader::new(Counted::with_rows(20), 5, 3).epoch().count();
    assert_eq!(even, 4);
    let large = Loader::new(Counted::with_rows(3), 5, 3).epoch().count();
    assert_eq!(large, 1);
}

/// The expected orders come from an independent implementation in a different
/// language.
///
/// Promise: A seed shuffles the rows in the same order on every machine.
#[test]
fn a_seed_has_the_same_order_on_every_machine() {
    let mut loader = Loader::new(Counted::with_rows(10), 10, 1797);
    assert_eq!(loader.next_batch(), [5, 8, 1, 7, 2, 3, 0, 6, 9, 4]);
    assert_eq!(loader.next_batch(), [1, 8, 0, 4, 6, 3, 2, 5, 7, 9]);
    let other = Loader::new(Counted::with_rows(10), 10, 1798).next_batch();
    assert_eq!(other, [2, 5, 3, 8, 6, 7, 9, 4, 1, 0]);
}

/// Promise: A loader that continues from a saved position yields the same
/// batches.
#[test]
fn a_restored_position_yields_the_same_batches() {
    let mut loader = Loader::new(Counted::with_rows(23), 5, 3);
    let mut seen = Vec::new();
    for _ in 0..17 {
        seen.push((loader.place(), loader.next_batch()));
    }
    for (at, (place, _)) in seen.iter().enumerate() {
        let mut again = Loader::new(Counted::with_rows(23), 5, 99);
        again.next_batch();
        again.go_to(*place);
        for (place, batch) in &seen[at..] {
            assert_eq!((again.place(), &again.next_batch()), (*place, batch));
        }
    }
    let place = Place { seed: 3, epoch: 2, batch: 3 };
    loader.go_to(place);
    assert_eq!(loader.epoch().count(), 2, "what is left of the epoch");
}

/// Promise: The loader prepares the next batch while the current one is in use.
#[test]
fn the_next_batch_is_prepared_in_advance() {
    let (sender, receiver) = channel();
    let sender = Some(Mutex::new(sender));
    let rows = Counted { rows: 100, sender, ..Counted::default() };
    let mut loader = Loader::new(rows, 10, 0);
    assert_eq!(loader.rows().made.load(Ordering::SeqCst), 0, "not yet begun");
    loader.next_batch();
    // The batch that was returned, one that waits in the channel and one that
    // the thread is trying to send.
    for made in 0..3 {
        let minute = Duration::from_secs(60);
        assert_eq!(receiver.recv_timeout(minute), Ok(made));
    }
    // No further batch is prepared until the next one is taken.
    assert!(receiver.recv_timeout(Duration::from_millis(50)).is_err());
    loader.next_batch();
    assert_eq!(receiver.recv_timeout(Duration::from_secs(60)), Ok(3));
}

/// Promise: The loader's thread ends when the loader is dropped.
#[test]
fn the_thread_ends_when_the_loader_is_dropped() {
    let mut loader = Loader::new(Counted::with_rows(100), 10, 0);
    loader.next_batch();
    let rows: Weak<Counted> = Arc::downgrade(&loader.rows);
    assert_eq!(rows.strong_count(), 2, "the loader's and the thread's");
    drop(loader);
    assert_eq!(rows.strong_count(), 0, "the thread is still there");
    // A loader whose thread was never started.
    drop(Loader::new(Counted::with_rows(100), 10, 0));
}

/// Promise: A panic in the loader's thread gives one sentence in the caller.
#[test]
fn a_panic_in_the_thread_gives_one_sentence() {
    let rows =
        |raised| Counted { fails: Some((3, raised)), ..Counted::with_rows(20) };
    let mut loader = Loader::new(rows(false), 10, 0);
    (0..3).for_each(|_| drop(loader.next_batch()));
    let place = loader.place();
    let refused = attempt(|| loader.next_batch()).unwrap_err();
    assert_eq!(
        refused,
        Error::Mistake(
            "the loader's thread panicked at batch 1 of epoch 1, counted \
             from 0: no such row: 7; fix how its rows make a batch"
                .to_string()
        )
    );
    assert_eq!(loader.place(), place, "it has moved on");
    // The next call tries the same batch again.
    let mut right = Loader::new(Counted::with_rows(20), 10, 0);
    right.go_to(place);
    assert_eq!(loader.next_batch(), right.next_batch());
    // A raised error keeps its variant and its message.
    let mut loader = Loader::new(rows(true), 10, 0);
    (0..3).for_each(|_| drop(loader.next_batch()));
    let refused = attempt(|| loader.next_batch()).unwrap_err();
    assert_eq!(refused, Error::File("a file is gone; fetch it".to_string()));
}

#[test]
fn an_empty_loader_is_rejected() {
    for (rows, size) in [(0, 1), (1, 0)] {
        let data = moons(rows, 0.0, 1);
        let refused = attempt(|| drop(Loader::new(data, size, 0))).unwrap_err();
        assert!(matches!(refused, Error::Mistake(_)), "{refused}");
    }
    let mut loader = Loader::new(moons(5, 0.0, 1), 2, 0);
    let place = Place { batch: 3, ..loader.place() };
    let refused = attempt(|| loader.go_to(place)).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "go_to: batch 3 of 3, counted from 0, is none"
    );
}
