//! Host memory that is used again. The first access to each page of new memory
//! interrupts the program, and takes longer than a copy of the page.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// The minimum capacity of a vector that is kept. The allocator of the system
/// keeps smaller ones.
const MIN_LEN: usize = 1 << 14;
/// The maximum number of vectors that are kept.
const MAX_COUNT: usize = 256;

static UNUSED: Mutex<Vec<Vec<f32>>> = Mutex::new(Vec::new());

/// Returns an empty vector with a capacity of at least `len`.
pub(crate) fn take(len: usize) -> Vec<f32> {
    let mut unused = lock();
    let fits = |it: &Vec<f32>| (len..=2 * len).contains(&it.capacity());
    match unused.iter().position(fits) {
        Some(index) => unused.swap_remove(index),
        None => Vec::with_capacity(len),
    }
}

/// Keeps the memory of a vector for [`take`].
pub(crate) fn give_back(mut values: Vec<f32>) {
    let mut unused = lock();
    if values.capacity() >= MIN_LEN && unused.len() < MAX_COUNT {
        values.clear();
        unused.push(values);
    }
}

fn lock() -> MutexGuard<'static, Vec<Vec<f32>>> {
    UNUSED.lock().unwrap_or_else(PoisonError::into_inner)
}
