//! A data loader that prepares the next batch in a background thread while a
//! step runs. Built in "Weights that travel".
//!
//! The order of an epoch depends only on the seed and the number of the epoch.
//! A position in the data is therefore three numbers, which can be saved: a
//! loader that continues from them yields the same batches.
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
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::{self, JoinHandle};

use crate::data::Dataset;
use crate::error::{Error, RAISED, Result, mistake, or_raise, raise};
use crate::rng::{Random, bits};

/// A data set of numbered rows that can be combined into batches. An
/// implementation may read files, or copy the batch to a device.
pub trait Rows: Send + Sync + 'static {
    /// The input of a training step.
    type Batch: Send + 'static;

    /// Returns the number of rows.
    fn count(&self) -> usize;

    /// Creates a batch of these rows, in this order.
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
/// A position in the data, from which a loader can continue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The seed that determines the order of every epoch.
    pub seed: u64,
    /// The number of completed epochs.
    pub epoch: u64,
    /// The index of the next batch in this epoch.
    pub batch: u64,
}

impl Place {
    /// Lists the rows of the epoch in shuffled order. The shuffle uses only
    /// integers, so the order is the same on every machine.
    fn order(self, rows: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..rows).collect();
        Random::new(bits(self.seed, self.epoch)).shuffle(&mut order);
        order
    }

    /// Moves to the next batch, given the number of batches in an epoch.
    fn advance(&mut self, batches: u64) {
        self.batch += 1;
        if self.batch >= batches {
            (self.epoch, self.batch) = (self.epoch + 1, 0);
        }
    }
}
// ANCHOR_END: place

/// An endless sequence of batches, in a new order in each epoch.
///
/// The last batch of an epoch has the remaining rows. A background thread
/// starts with the first call of [`Loader::next_batch`] and ends when the
/// loader is dropped. It prepares up to two batches ahead: one waits in the
/// channel, one in the thread.
pub struct Loader<R: Rows> {
    rows: Arc<R>,
    size: usize,
    place: Place,
    worker: Option<Worker<R::Batch>>,
}

impl<R: Rows> Loader<R> {
    /// Creates a loader at the start of the first epoch, with batches of
    /// `size` rows.
    ///
    /// # Panics
    ///
    /// If the data set is empty, or `size` is 0.
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

    /// Returns the position of the next batch.
    pub fn place(&self) -> Place {
        self.place
    }

    /// Moves to a different position and discards the prepared batches.
    ///
    /// # Panics
    ///
    /// If an epoch does not have a batch with this index.
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

    /// Returns an iterator over the remaining batches of the current epoch.
    pub fn epoch(&mut self) -> impl Iterator<Item = R::Batch> {
        let epoch = self.place.epoch;
        std::iter::from_fn(move || {
            (self.place.epoch == epoch).then(|| self.next_batch())
        })
    }

    /// Returns the next batch, waiting for it if it is not ready.
    ///
    /// # Panics
    ///
    /// If [`Rows::batch`] panics, with its message. The next call tries again.
    #[track_caller]
    pub fn next_batch(&mut self) -> R::Batch {
        let mut worker = match self.worker.take() {
            Some(worker) => worker,
            None => Worker::new(self.rows.clone(), self.size, self.place),
        };
        let batch = or_raise(worker.next(self.place));
        self.worker = Some(worker);
        self.place.advance(self.batches());
        batch
    }

    /// Returns the number of batches in an epoch.
    pub fn batches(&self) -> u64 {
        self.rows.count().div_ceil(self.size) as u64
    }

    /// Returns the number of rows in a batch. The last batch of an epoch may
    /// have fewer.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Returns the data set.
    pub fn rows(&self) -> &R {
        &self.rows
    }
}

/// The background thread and the receiver of its batches.
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
        // Capacity 1: preparing more batches ahead would only use memory.
        let (sender, batches) = sync_channel(1);
        let thread = thread::Builder::new().name("loader".to_string());
        let thread = thread.spawn(move || {
            let sender = Sender(sender);
            for batch in batches_from(&*rows, size, place) {
                // Sending fails if the loader was dropped.
                if sender.0.send(Ok(batch)).is_err() {
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

    /// Returns the batch at `place`, or the reason why the thread has ended.
    fn next(&mut self, place: Place) -> Result<B> {
        let batches = self.batches.as_ref().expect("until it is dropped");
        batches.recv().unwrap_or_else(|_| {
            let thread = self.thread.take().expect("joined once");
            let panic = thread.join().expect_err("only a panic ends it");
            Err(Error::Mistake(format!(
                "the loader's thread panicked at batch {} of epoch {}, \
                 counted from 0: {}; fix how its rows make a batch",
                place.batch,
                place.epoch,
                panic_message(&*panic)
            )))
        })
    }
}

/// The thread's end of the channel. If the thread panics with a raised error,
/// the error is sent.
struct Sender<B>(SyncSender<Result<B>>);

impl<B> Drop for Sender<B> {
    fn drop(&mut self) {
        if let Some(error) = RAISED.take() {
            let _ = self.0.send(Err(error));
        }
    }
}

impl<B> Drop for Worker<B> {
    /// Closes the channel, because the thread may be blocked on sending a
    /// batch, and then waits for the thread to end.
    fn drop(&mut self) {
        self.batches = None;
        if let Some(thread) = self.thread.take() {
            // The loader no longer needs the batch that may have failed.
            let _ = thread.join();
        }
    }
}

/// Creates all batches from a position on, epoch after epoch.
fn batches_from<R: Rows>(
    rows: &R,
    size: usize,
    mut place: Place,
) -> impl Iterator<Item = R::Batch> {
    let count = rows.count();
    let mut order = place.order(count);
    std::iter::from_fn(move || {
        let from = place.batch as usize * size;
        let selected = &order[from..count.min(from + size)];
        let batch = rows.batch(selected);
        let epoch = place.epoch;
        place.advance(count.div_ceil(size) as u64);
        if place.epoch != epoch {
            order = place.order(count);
        }
        Some(batch)
    })
}

/// Returns the message of a panic, on one line.
fn panic_message(panic: &(dyn Any + Send)) -> String {
    let message = match panic.downcast_ref::<String>() {
        Some(message) => message,
        None => panic.downcast_ref::<&str>().copied().unwrap_or("no message"),
    };
    message.lines().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
