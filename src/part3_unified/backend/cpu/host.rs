//! Memory of the host, counted, and used again.
//!
//! Fresh memory costs more than the numbers in it: the system hands it out by
//! pages, and each is a fault. So large pieces that nobody uses wait here for
//! who asks next.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use smallvec::{SmallVec, smallvec};

use super::{Memory, Shared, Storage};
use crate::error::{Result, room, zeros};
use crate::ledger;

/// As many numbers as fit where a vector's address and length would be need
/// no allocation of their own.
pub(super) type Numbers = SmallVec<[f32; FEW]>;
const FEW: usize = 4;

/// Numbers in the host's memory.
pub(super) struct Host(pub(super) Numbers);

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} f32 in the memory of the host", self.0.len())
    }
}

impl Storage for Host {
    fn len(&self) -> usize {
        self.0.len()
    }
}

static NOW: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);

impl Host {
    pub(super) fn shared(values: impl Into<Numbers>) -> Shared {
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

impl Drop for Host {
    fn drop(&mut self) {
        NOW.fetch_sub(size_of_val(&self.0[..]) as u64, Ordering::Relaxed);
        ledger::count(|counts| counts.storages_freed += 1);
        give_back(std::mem::take(&mut self.0));
    }
}

/// Counts the bytes in use now, at the peak, and those that wait.
pub(super) fn memory() -> Memory {
    let read = |bytes: &AtomicU64| bytes.load(Ordering::Relaxed);
    let waiting: usize = waiting().iter().map(Vec::capacity).sum();
    let cached = (waiting * size_of::<f32>()) as u64;
    Memory { now: read(&NOW), peak: read(&PEAK), cached }
}

/// From so many numbers on a piece waits, 64 KiB.
const LARGE: usize = 1 << 14;
/// So many numbers may wait, 256 MiB.
const MOST: usize = 1 << 26;

static WAITING: Mutex<Vec<Vec<f32>>> = Mutex::new(Vec::new());

fn waiting() -> MutexGuard<'static, Vec<Vec<f32>>> {
    WAITING.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps a piece that nobody uses any more; the oldest go where too much
/// waits.
fn give_back(values: Numbers) {
    if !(LARGE..=MOST).contains(&values.capacity()) {
        return;
    }
    let mut waiting = waiting();
    waiting.push(values.into_vec());
    forget(&mut waiting);
}

/// Lets the oldest go until no more waits than may.
fn forget(waiting: &mut Vec<Vec<f32>>) {
    let mut total: usize = waiting.iter().map(Vec::capacity).sum();
    while total > MOST {
        total -= waiting.remove(0).capacity();
    }
}

/// Takes memory for so many numbers, for who writes them all: they are
/// whatever they were before.
pub(super) fn blank(n: usize) -> Result<Numbers> {
    if n <= FEW {
        return Ok(smallvec![0.0; n]);
    }
    if n < LARGE {
        return Ok(zeros(n)?.into());
    }
    if let Some(mut values) = waiting_for(n) {
        values.resize(n, f32::default());
        return Ok(values.into());
    }
    // Zeros from the system are not written, but a failure would end the
    // program: so the question comes first.
    drop(room::<f32>(n)?);
    Ok(vec![0.0; n].into())
}

/// Finds a piece that waits and fits: the last one is the likeliest to lie in
/// a cache.
fn waiting_for(n: usize) -> Option<Vec<f32>> {
    let mut waiting = waiting();
    let i = waiting.iter().rposition(|it| fits(n, it.capacity()))?;
    Some(waiting.remove(i))
}

/// Tells whether a piece serves: half of it may stay unused.
fn fits(n: usize, capacity: usize) -> bool {
    (n..=2 * n).contains(&capacity)
}

/// Copies numbers, where there is room for them.
pub(super) fn copied(values: &[f32]) -> Result<Vec<f32>> {
    let mut copied = room(values.len())?;
    copied.extend_from_slice(values);
    Ok(copied)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_numbers_lie_in_their_storage_and_make_it_no_larger() {
        assert!(!blank(FEW).unwrap().spilled());
        assert_eq!(size_of::<Host>(), size_of::<Vec<f32>>());
    }

    #[test]
    fn a_piece_fits_up_to_twice_what_is_asked_for() {
        let answers = [99, 100, 200, 201].map(|capacity| fits(100, capacity));
        assert_eq!(answers, [false, true, true, false]);
    }

    #[test]
    fn the_oldest_go_where_too_much_waits() {
        // Nobody writes to them, so the system keeps no memory for them.
        let piece = |n| Vec::with_capacity(n);
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
        drop(Host::shared(blank(n).unwrap()));
        assert!(memory().cached >= bytes, "{:?}", memory());
        let again = blank(n).unwrap();
        assert!(memory().cached <= (MOST - n) as u64 * 4, "{:?}", memory());
        drop(again);
    }
}
