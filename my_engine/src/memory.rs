//! How much memory is in use: a graph that owns itself is never freed, and
//! nothing else tells.

#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicIsize, Ordering};

/// The bytes that were taken and not given back.
static LIVE: AtomicIsize = AtomicIsize::new(0);

/// The system's allocator, which counts.
pub struct Counting;

// SAFETY: everything is handed to the system's allocator as it came, and
// handed back as that gave it; counting touches no memory of either.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size(), 1);
        // SAFETY: the caller promises what the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(layout.size(), -1);
        // SAFETY: what we gave came from the system's allocator.
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
        // SAFETY: what we gave came from the system's allocator, and the
        // caller promises that the new size is one.
        unsafe { System.realloc(at, layout, size) }
    }
}

fn count(bytes: usize, times: isize) {
    LIVE.fetch_add(times * bytes as isize, Ordering::Relaxed);
}

/// Counts the bytes that are in use, if [`Counting`] is the allocator.
pub(crate) fn live() -> isize {
    LIVE.load(Ordering::Relaxed)
}
