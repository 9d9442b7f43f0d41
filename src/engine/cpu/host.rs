//! Host memory: counted, and cached for reuse.
//!
//! Fresh memory from the operating system costs a page fault per page, which
//! takes longer than writing the page. Large freed allocations are therefore
//! cached here and reused.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, MutexGuard, PoisonError};

use smallvec::{SmallVec, smallvec};

use super::types::HostElement;
use super::{DType, Memory, Shared, Storage};
use crate::error::{Result, room, zeros};
use crate::half::F16;
use crate::ledger;

/// The elements of a storage. Up to [`INLINE_LEN`] of them are stored inline,
/// in the space of a vector's pointer and length.
pub(super) type HostVec<T> = SmallVec<[T; INLINE_LEN]>;
const INLINE_LEN: usize = 4;

/// A storage in host memory.
pub(super) struct Host<T: HostElement>(pub(super) HostVec<T>);

impl<T: HostElement> fmt::Debug for Host<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (n, dtype) = (self.0.len(), T::DTYPE);
        write!(f, "{n} {dtype} in the memory of the host")
    }
}

impl<T: HostElement> Storage for Host<T> {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn dtype(&self) -> DType {
        T::DTYPE
    }
}

static NOW: AtomicU64 = AtomicU64::new(0);
static PEAK: AtomicU64 = AtomicU64::new(0);

impl<T: HostElement> Host<T> {
    pub(super) fn shared(values: impl Into<HostVec<T>>) -> Shared {
        let values = values.into();
        let bytes = size_of_val(&values[..]) as u64;
        let before = NOW.fetch_add(bytes, Ordering::Relaxed);
        // The peak seldom changes, and a load is cheaper than `fetch_max`.
        if PEAK.load(Ordering::Relaxed) < before + bytes {
            PEAK.fetch_max(before + bytes, Ordering::Relaxed);
        }
        ledger::count(|counts| counts.storages += 1);
        Arc::new(Host(values))
    }
}

impl<T: HostElement> Drop for Host<T> {
    fn drop(&mut self) {
        NOW.fetch_sub(size_of_val(&self.0[..]) as u64, Ordering::Relaxed);
        ledger::count(|counts| counts.storages_freed += 1);
        recycle(std::mem::take(&mut self.0));
    }
}

/// Returns the bytes in use now and at the peak, and the bytes cached.
pub(super) fn memory() -> Memory {
    let read = |bytes: &AtomicU64| bytes.load(Ordering::Relaxed);
    let cached = cached::<f32>() + cached::<f64>() + cached::<F16>();
    Memory { now: read(&NOW), peak: read(&PEAK), cached }
}

fn cached<T: HostElement>() -> u64 {
    let elements: usize = free_list::<T>().iter().map(Vec::capacity).sum();
    (elements * size_of::<T>()) as u64
}

/// Allocations of at least this size are cached.
const MIN_CACHED_BYTES: usize = 1 << 16;
/// Limit of the cache for each element type.
const MAX_CACHED_BYTES: usize = 1 << 28;

/// Returns how many elements fit into this many bytes.
const fn count<T>(bytes: usize) -> usize {
    bytes / size_of::<T>()
}

fn free_list<T: HostElement>() -> MutexGuard<'static, Vec<Vec<T>>> {
    T::free_list().lock().unwrap_or_else(PoisonError::into_inner)
}

/// Caches a freed allocation if it is large enough. If the cache exceeds its
/// limit, the oldest allocations are released.
fn recycle<T: HostElement>(values: HostVec<T>) {
    let cached_sizes =
        count::<T>(MIN_CACHED_BYTES)..=count::<T>(MAX_CACHED_BYTES);
    if !cached_sizes.contains(&values.capacity()) {
        return;
    }
    let mut free = free_list();
    free.push(values.into_vec());
    evict(&mut free);
}

/// Releases the oldest allocations until the rest is within the limit.
fn evict<T>(free: &mut Vec<Vec<T>>) {
    let mut total: usize = free.iter().map(Vec::capacity).sum();
    while total > count::<T>(MAX_CACHED_BYTES) {
        total -= free.remove(0).capacity();
    }
}

/// Allocates memory for `n` elements with unspecified values: reused memory is
/// not cleared. The caller must write every element.
pub(super) fn blank<T: HostElement>(n: usize) -> Result<HostVec<T>> {
    if n <= INLINE_LEN {
        return Ok(smallvec![T::default(); n]);
    }
    if n < count::<T>(MIN_CACHED_BYTES) {
        return Ok(zeros(n)?.into());
    }
    if let Some(mut values) = take_cached(n) {
        values.resize(n, T::default());
        return Ok(values.into());
    }
    // `vec!` gets zeroed pages from the system without writing them, but it
    // aborts if memory runs out. Reserve first to return an error instead.
    drop(room::<T>(n)?);
    Ok(vec![T::default(); n].into())
}

/// Takes an allocation for `n` elements from the cache.
fn take_cached<T: HostElement>(n: usize) -> Option<Vec<T>> {
    let mut free = free_list::<T>();
    let i = best_fit(n, &free)?;
    Some(free.remove(i))
}

/// Returns the index of an allocation of exactly this length, which needs no
/// `resize`, or else of one that fits. The most recently freed one is taken,
/// because it is the most likely to be in the processor's cache.
fn best_fit<T>(n: usize, free: &[Vec<T>]) -> Option<usize> {
    let same = free.iter().rposition(|values| values.len() == n);
    let fitting = || free.iter().rposition(|values| fits(n, values.capacity()));
    same.or_else(fitting)
}

/// Returns whether an allocation fits. At most half of it may be unused.
fn fits(n: usize, capacity: usize) -> bool {
    (n..=2 * n).contains(&capacity)
}

/// Copies a slice to a vector. Returns an error if there is not enough memory.
pub(super) fn copied<T: Copy>(values: &[T]) -> Result<Vec<T>> {
    let mut copied = room(values.len())?;
    copied.extend_from_slice(values);
    Ok(copied)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limits in `f32` elements.
    const MIN_CACHED: usize = count::<f32>(MIN_CACHED_BYTES);
    const MAX_CACHED: usize = count::<f32>(MAX_CACHED_BYTES);

    #[test]
    fn inline_elements_do_not_enlarge_a_storage() {
        assert!(!blank::<f32>(INLINE_LEN).unwrap().spilled());
        assert_eq!(size_of::<Host<f32>>(), size_of::<Vec<f32>>());
    }

    #[test]
    fn an_allocation_fits_up_to_twice_the_request() {
        let results = [99, 100, 200, 201].map(|capacity| fits(100, capacity));
        assert_eq!(results, [false, true, true, false]);
    }

    #[test]
    fn an_allocation_of_the_same_length_is_preferred() {
        let free = [100, 100, 110, 300].map(|n| vec![0.0_f32; n]);
        let found = [100, 110, 105, 150, 301].map(|n| best_fit(n, &free));
        assert_eq!(found, [Some(1), Some(2), Some(2), Some(3), None]);
    }

    #[test]
    fn the_oldest_allocations_are_evicted_first() {
        // These are never written, so the system provides no pages for them.
        let allocation = |n| Vec::<f32>::with_capacity(n);
        let mut free = vec![
            allocation(MAX_CACHED / 2),
            allocation(MAX_CACHED / 4),
            allocation(MIN_CACHED),
        ];
        free.push(allocation(MAX_CACHED / 4 - MIN_CACHED));
        evict(&mut free);
        assert_eq!(free.len(), 4, "the total is exactly the limit");
        free.push(allocation(MAX_CACHED / 2));
        evict(&mut free);
        let capacities: Vec<usize> = free.iter().map(Vec::capacity).collect();
        assert_eq!(
            capacities,
            [
                MAX_CACHED / 4,
                MIN_CACHED,
                MAX_CACHED / 4 - MIN_CACHED,
                MAX_CACHED / 2
            ]
        );
    }

    #[test]
    fn a_cached_allocation_is_counted_until_it_is_reused() {
        // So large that no other test allocates this length meanwhile.
        let n = MAX_CACHED / 2 + 1;
        let bytes = (n * size_of::<f32>()) as u64;
        drop(Host::shared(blank::<f32>(n).unwrap()));
        assert!(memory().cached >= bytes, "{:?}", memory());
        let again = blank::<f32>(n).unwrap();
        let rest = (MAX_CACHED - n) as u64 * 4;
        assert!(memory().cached <= rest, "{:?}", memory());
        drop(again);
    }
}
