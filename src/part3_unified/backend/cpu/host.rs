//! Memory of the host, counted, and used again.
//!
//! Fresh memory costs more than the numbers in it: the system hands it out by
//! pages, and each is a fault. So large pieces that nobody uses wait here for
//! who asks next.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, MutexGuard, PoisonError};

use smallvec::{SmallVec, smallvec};

use super::real::Kept;
use super::{DType, Memory, Shared, Storage};
use crate::error::{Result, room, zeros};
use crate::half::F16;
use crate::ledger;

/// As many numbers as fit where a vector's address and length would be need
/// no allocation of their own.
pub(super) type Numbers<T> = SmallVec<[T; FEW]>;
const FEW: usize = 4;

/// Numbers in the host's memory.
pub(super) struct Host<T: Kept>(pub(super) Numbers<T>);

impl<T: Kept> fmt::Debug for Host<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, dtype) = (self.0.len(), T::DTYPE);
        write!(f, "{n} {dtype} in the memory of the host")
    }
}

impl<T: Kept> Storage for Host<T> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn dtype(&self) -> DType {
        T::DTYPE
    }
}

static NOW: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);

impl<T: Kept> Host<T> {
    pub(super) fn shared(values: impl Into<Numbers<T>>) -> Shared {
        let values = values.into();
        let bytes = size_of_val(&values[..]) as u64;
        let before = NOW.fetch_add(bytes, Ordering::Relaxed);
        // A look is cheaper than a change, and there is seldom one.
        if PEAK.load(Ordering::Relaxed) < before + bytes {
            PEAK.fetch_max(before + bytes, Ordering::Relaxed);
        }
        ledger::count(|counts| counts.storages += 1);
        Arc::new(Host(values))
    }
}

impl<T: Kept> Drop for Host<T> {
    fn drop(&mut self) {
        NOW.fetch_sub(size_of_val(&self.0[..]) as u64, Ordering::Relaxed);
        ledger::count(|counts| counts.storages_freed += 1);
        give_back(std::mem::take(&mut self.0));
    }
}

/// Counts the bytes in use now, at the peak, and those that wait.
pub(super) fn memory() -> Memory {
    let read = |bytes: &AtomicU64| bytes.load(Ordering::Relaxed);
    let cached = cached::<f32>() + cached::<f64>() + cached::<F16>();
    Memory { now: read(&NOW), peak: read(&PEAK), cached }
}

fn cached<T: Kept>() -> u64 {
    let waiting: usize = waiting::<T>().iter().map(Vec::capacity).sum();
    (waiting * size_of::<T>()) as u64
}

/// A piece of so many bytes waits.
const LARGE: usize = 1 << 16;
/// So many bytes of each type may wait.
const MOST: usize = 1 << 28;

/// Counts the numbers of so many bytes.
const fn count<T>(bytes: usize) -> usize {
    bytes / size_of::<T>()
}

fn waiting<T: Kept>() -> MutexGuard<'static, Vec<Vec<T>>> {
    T::waiting().lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a piece that nobody uses any more; the oldest go where too much
/// waits.
fn give_back<T: Kept>(values: Numbers<T>) {
    let waits = count::<T>(LARGE)..=count::<T>(MOST);
    if !waits.contains(&values.capacity()) {
        return;
    }
    let mut waiting = waiting();
    waiting.push(values.into_vec());
    forget(&mut waiting);
}

/// Lets the oldest go until no more waits than may.
fn forget<T>(waiting: &mut Vec<Vec<T>>) {
    let mut total: usize = waiting.iter().map(Vec::capacity).sum();
    while total > count::<T>(MOST) {
        total -= waiting.remove(0).capacity();
    }
}

/// Takes memory for so many numbers, for who writes them all: they are
/// whatever they were before.
pub(super) fn blank<T: Kept>(n: usize) -> Result<Numbers<T>> {
    if n <= FEW {
        return Ok(smallvec![T::default(); n]);
    }
    if n < count::<T>(LARGE) {
        return Ok(zeros(n)?.into());
    }
    if let Some(mut values) = waiting_for(n) {
        values.resize(n, T::default());
        return Ok(values.into());
    }
    // Zeros from the system are not written, but a failure would end the
    // program: so the question comes first.
    drop(room::<T>(n)?);
    Ok(vec![T::default(); n].into())
}

/// Finds a piece that waits and serves.
fn waiting_for<T: Kept>(n: usize) -> Option<Vec<T>> {
    let mut waiting = waiting::<T>();
    let i = best(n, &waiting)?;
    Some(waiting.remove(i))
}

/// Finds a piece of this very length, which has no end to be filled up, or else
/// one that fits. Of several the last is the likeliest to lie in a cache.
fn best<T>(n: usize, waiting: &[Vec<T>]) -> Option<usize> {
    let same = waiting.iter().rposition(|it| it.len() == n);
    let fitting = || waiting.iter().rposition(|it| fits(n, it.capacity()));
    same.or_else(fitting)
}

/// Tells whether a piece serves: half of it may stay unused.
fn fits(n: usize, capacity: usize) -> bool {
    (n..=2 * n).contains(&capacity)
}

/// Copies numbers, where there is room for them.
pub(super) fn copied<T: Copy>(values: &[T]) -> Result<Vec<T>> {
    let mut copied = room(values.len())?;
    copied.extend_from_slice(values);
    Ok(copied)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As many numbers of 32 bits.
    const LARGE: usize = count::<f32>(super::LARGE);
    const MOST: usize = count::<f32>(super::MOST);

    #[test]
    fn few_numbers_lie_in_their_storage_and_make_it_no_larger() {
        assert!(!blank::<f32>(FEW).unwrap().spilled());
        assert_eq!(size_of::<Host<f32>>(), size_of::<Vec<f32>>());
    }

    #[test]
    fn a_piece_fits_up_to_twice_what_is_asked_for() {
        let answers = [99, 100, 200, 201].map(|capacity| fits(100, capacity));
        assert_eq!(answers, [false, true, true, false]);
    }

    #[test]
    fn a_piece_of_the_same_length_is_taken_before_one_that_fits() {
        let waiting = [100, 100, 110, 300].map(|n| vec![0.0_f32; n]);
        let found = [100, 110, 105, 150, 301].map(|n| best(n, &waiting));
        assert_eq!(found, [Some(1), Some(2), Some(2), Some(3), None]);
    }

    #[test]
    fn the_oldest_go_where_too_much_waits() {
        // Nobody writes to them, so the system keeps no memory for them.
        let piece = |n| Vec::<f32>::with_capacity(n);
        let mut waiting = vec![piece(MOST / 2), piece(MOST / 4), piece(LARGE)];
        let kept = |waiting: &[Vec<f32>]| -> Vec<usize> {
            waiting.iter().map(Vec::capacity).collect()
        };
        waiting.push(piece(MOST / 4 - LARGE));
        forget(&mut waiting);
        assert_eq!(waiting.len(), 4, "it is exactly what may wait");
        waiting.push(piece(MOST / 2));
        forget(&mut waiting);
        assert_eq!(
            kept(&waiting),
            [MOST / 4, LARGE, MOST / 4 - LARGE, MOST / 2]
        );
    }

    #[test]
    fn a_piece_that_waits_is_counted_until_it_is_used_again() {
        // So large that no other test asks for it meanwhile.
        let n = MOST / 2 + 1;
        let bytes = (n * size_of::<f32>()) as u64;
        drop(Host::shared(blank::<f32>(n).unwrap()));
        assert!(memory().cached >= bytes, "{:?}", memory());
        let again = blank::<f32>(n).unwrap();
        assert!(memory().cached <= (MOST - n) as u64 * 4, "{:?}", memory());
        drop(again);
    }
}
