//! Batches that are ready when they are asked for, built in "Weights that
//! travel": while a step runs, a thread prepares what the next one learns.
//!
//! The order of an epoch is computed from the seed and the number of the
//! epoch, so a place in the data is three numbers, which a file can keep:
//! whoever begins there again sees the same batches.
//!
//! Reading order: [`Rows`], [`Place`], [`Loader`].
//!
//! ```
//! use rungrad::data::moons;
//! use rungrad::loader::Loader;
//!
//! let mut loader = Loader::new(moons(100, 0.1, 0), 32, 7);
//! let sizes = loader.epoch().map(|batch| batch.rows());
//! assert_eq!(sizes.collect::<Vec<_>>(), [32, 32, 32, 4]);
//! assert_eq!((loader.place().epoch, loader.place().batch), (1, 0));
//! ```

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::{self, JoinHandle};

use crate::attempt;
use crate::data::Dataset;
use crate::error::{Error, Result, mistake, raise};
use crate::rng::{Random, bits};

/// What can be learned from: rows with numbers, of which any can be put
/// together to a batch. A type of your own may read files for it, or take the
/// batch to a device.
pub trait Rows: Send + Sync + 'static {
    /// What a step gets.
    type Batch: Send + 'static;

    /// Counts the rows.
    fn count(&self) -> usize;

    /// Makes a batch of these rows, in this order.
    fn batch(&self, rows: &[usize]) -> Self::Batch;
}

impl Rows for Dataset {
    type Batch = Dataset;

    fn count(&self) -> usize {
        self.rows()
    }

    fn batch(&self, rows: &[usize]) -> Dataset {
        self.select(rows)
    }
}

// ANCHOR: place
/// A place in the data: what a loader must know to go on there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// What decides the order of every epoch.
    pub seed: u64,
    /// How often all rows have been learned.
    pub epoch: u64,
    /// Which batch of this epoch comes next.
    pub batch: u64,
}

impl Place {
    /// Lists the rows of an epoch in its order. It takes integers alone, so
    /// it is the same on every machine.
    fn order(self, rows: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..rows).collect();
        Random::new(bits(self.seed, self.epoch)).shuffle(&mut order);
        order
    }

    /// Moves on by a batch of so many.
    fn advance(&mut self, batches: u64) {
        self.batch += 1;
        if self.batch >= batches {
            (self.epoch, self.batch) = (self.epoch + 1, 0);
        }
    }
}
// ANCHOR_END: place

/// Batches of rows, in a new order in each epoch, without an end.
///
/// The last batch of an epoch has the rows that are left. A thread prepares
/// batches, one of which waits while it makes the next; it is started when the
/// first one is asked for, and ends with the loader.
pub struct Loader<R: Rows> {
    rows: Arc<R>,
    size: usize,
    place: Place,
    worker: Option<Worker<R::Batch>>,
}

impl<R: Rows> Loader<R> {
    /// Begins with the first epoch of a seed, in batches of `size`.
    ///
    /// # Panics
    ///
    /// If there are no rows, or a batch has none.
    #[track_caller]
    pub fn new(rows: R, size: usize, seed: u64) -> Loader<R> {
        if size == 0 || rows.count() == 0 {
            mistake(format!(
                "a loader of {} rows in batches of {size} has nothing to \
                 give; take 1 or more of both",
                rows.count()
            ));
        }
        let place = Place { seed, epoch: 0, batch: 0 };
        Loader { rows: Arc::new(rows), size, place, worker: None }
    }

    /// Returns the place of the batch that comes next.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Goes to another place. What was prepared is thrown away.
    ///
    /// # Panics
    ///
    /// If an epoch has no such batch.
    #[track_caller]
    pub fn go_to(&mut self, place: Place) {
        if place.batch >= self.batches() {
            mistake(format!(
                "go_to: batch {} of {}, counted from 0, is none",
                place.batch,
                self.batches()
            ));
        }
        (self.place, self.worker) = (place, None);
    }

    /// Gives the batches that are left of this epoch, all of them where it
    /// has not begun.
    pub fn epoch(&mut self) -> impl Iterator<Item = R::Batch> {
        let epoch = self.place.epoch;
        std::iter::from_fn(move || {
            (self.place.epoch == epoch).then(|| self.next_batch())
        })
    }

    /// Gives the next batch, at once if it is ready.
    ///
    /// # Panics
    ///
    /// If it cannot be made, with the sentence of [`Rows::batch`]; the next
    /// call tries again.
    #[track_caller]
    pub fn next_batch(&mut self) -> R::Batch {
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => Worker::new(self.rows.clone(), self.size, self.place),
        };
        match worker.next() {
            Ok(batch) => {
                self.worker = Some(worker);
                self.place.advance(self.batches());
                batch
            }
            Err(error) => raise(error),
        }
    }

    /// Counts the batches of an epoch.
    pub fn batches(&self) -> u64 {
        self.rows.count().div_ceil(self.size) as u64
    }

    /// Returns how many rows a batch has, the last one of an epoch apart.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns what it loads.
    pub fn rows(&self) -> &R {
        &self.rows
    }
}

// ANCHOR: worker
/// The thread, and the end of the channel at which its batches arrive.
struct Worker<B> {
    batches: Option<Receiver<Result<B>>>,
    thread: Option<JoinHandle<()>>,
}

impl<B: Send + 'static> Worker<B> {
    #[track_caller]
    fn new<R: Rows<Batch = B>>(
        rows: Arc<R>,
        size: usize,
        place: Place,
    ) -> Worker<B> {
        // Room for one: a thread that is far ahead would only hold memory.
        let (sender, batches) = sync_channel(1);
        let thread = thread::Builder::new().name("loader".to_string());
        let thread = thread.spawn(move || {
            for batch in prepared(&*rows, size, place) {
                let failed = batch.is_err();
                // Nobody listens any more: the loader is gone.
                if sender.send(batch).is_err() || failed {
                    return;
                }
            }
        });
        match thread {
            Ok(thread) => {
                Worker { batches: Some(batches), thread: Some(thread) }
            }
            Err(error) => raise(Error::Device(format!(
                "the loader gets no thread from the system ({error}); end \
                 other programs"
            ))),
        }
    }

    fn next(&mut self) -> Result<B> {
        let batches = self.batches.as_ref().expect("until it is dropped");
        batches.recv().expect("a thread that ends has said why")
    }
}

impl<B> Drop for Worker<B> {
    /// Hangs up first, since the thread may wait for somebody who takes what
    /// it has; then it waits for the thread's end.
    fn drop(&mut self) {
        self.batches = None;
        if let Some(thread) = self.thread.take() {
            // What went wrong in it was sent.
            let _ = thread.join();
        }
    }
}
// ANCHOR_END: worker

/// Makes batch after batch from a place on, epoch after epoch.
fn prepared<R: Rows>(
    rows: &R,
    size: usize,
    mut place: Place,
) -> impl Iterator<Item = Result<R::Batch>> {
    let count = rows.count();
    let mut order = place.order(count);
    std::iter::from_fn(move || {
        let from = place.batch as usize * size;
        let some = &order[from..count.min(from + size)];
        let batch = guarded(place, || rows.batch(some));
        let epoch = place.epoch;
        place.advance(count.div_ceil(size) as u64);
        if place.epoch != epoch {
            order = place.order(count);
        }
        Some(batch)
    })
}

/// Turns a panic into a sentence, which the caller of the loader gets.
fn guarded<B>(place: Place, make: impl FnOnce() -> B) -> Result<B> {
    match catch_unwind(AssertUnwindSafe(|| attempt(make))) {
        Ok(made) => made,
        Err(panic) => Err(Error::Mistake(format!(
            "the loader's thread panicked at batch {} of epoch {}, counted \
             from 0: {}; mend how its rows make a batch",
            place.batch,
            place.epoch,
            said(&*panic)
        ))),
    }
}

/// Returns what a panic has said, on one line.
fn said(panic: &(dyn Any + Send)) -> String {
    let said = match panic.downcast_ref::<String>() {
        Some(said) => said,
        None => panic.downcast_ref::<&str>().map_or("no word", |said| said),
    };
    said.lines().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
