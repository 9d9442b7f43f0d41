//! Reads the output of a child while it runs.

use std::io::Read;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Instant;

use crate::child::PAUSE;
use crate::token::{Heard, Listener};

/// A pipe from the child, and the thread that reads it.
pub(crate) struct Output {
    listener: Arc<Mutex<Listener>>,
    printed: Arc<AtomicUsize>,
    reader: JoinHandle<()>,
}

impl Output {
    pub(crate) fn read(
        mut from: impl Read + Send + 'static,
        listener: Listener,
    ) -> Output {
        let printed = listener.printed();
        let listener = Arc::new(Mutex::new(listener));
        let shared = Arc::clone(&listener);
        let reader = thread::spawn(move || {
            let mut bytes = [0; 1 << 16];
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                let mut listener = shared.lock().expect("one reader");
                listener.hear(&bytes[..count]);
            }
        });
        Output { listener, printed, reader }
    }

    /// Returns how many bytes the learner's code has printed so far.
    pub(crate) fn printed(&self) -> usize {
        self.printed.load(Ordering::Relaxed)
    }

    /// Returns everything up to the end of the pipe, or up to the time `end`
    /// if another process holds the pipe open.
    pub(crate) fn finish(self, end: Instant) -> Heard {
        while !self.reader.is_finished() && Instant::now() < end {
            thread::sleep(PAUSE);
        }
        if self.reader.is_finished() {
            // If the reader thread failed to print, this process cannot print
            // either.
            self.reader.join().unwrap_or_else(|panic| resume_unwind(panic));
        }
        let listener = self.listener.lock();
        listener.unwrap_or_else(PoisonError::into_inner).finish()
    }
}
