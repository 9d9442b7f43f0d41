//! Counts the memory in use. A graph that owns itself is never freed, and only
//! the allocator can show it.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering};

/// Bytes allocated and not yet freed.
static LIVE: AtomicIsize = AtomicIsize::new(0);

/// The system allocator, with a count of the bytes in use.
pub struct Counting;

// SAFETY: every call is forwarded to the system allocator unchanged, and so is
// its result; the counter touches no allocated memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 1);
        // SAFETY: the caller upholds the contract of the system allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(layout.size(), -1);
        // SAFETY: the pointer came from the system allocator.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(
        &self,
        at: *mut u8,
        layout: Layout,
        size: usize,
    ) -> *mut u8 {
        count(layout.size(), -1);
        count(size, 1);
        // SAFETY: the pointer came from the system allocator, and the caller
        // guarantees a valid new size.
        unsafe { System.realloc(at, layout, size) }
    }
}

fn count(bytes: usize, times: isize) {
    LIVE.fetch_add(times * bytes as isize, Ordering::Relaxed);
}

/// Returns the bytes in use, if [`Counting`] is the global allocator.
pub(crate) fn live() -> isize {
    LIVE.load(Ordering::Relaxed)
}
