//! The ledger counts what a step costs, first in "Train the digits": kernel
//! launches and builds, bytes copied, allocations, graph nodes.
//!
//! Unlike times, the counts are exact and the same in every run, so tests can
//! check the numbers that the book prints. Each thread has its own counts, so
//! that tests that run in parallel do not disturb each other.

use std::cell::RefCell;
use std::fmt;
use std::ops::Sub;

/// The events counted so far, or during a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Kernels sent to a queue.
    pub launches: u64,
    /// OpenCL programs compiled.
    pub builds: u64,
    /// Times that the host waited for a device.
    pub waits: u64,
    /// Bytes of buffers within the reach of the launched kernels. For each
    /// buffer of a launch, this is the range up to the last element that the
    /// kernel may access, counted once.
    pub bytes_reached: u64,
    /// Scalar multiplications in the matrix products and convolutions of Part
    /// 3, on any device.
    pub products: u64,
    /// Bytes copied from the host to a device.
    pub bytes_to_device: u64,
    /// Bytes copied from a device to the host.
    pub bytes_to_host: u64,
    /// Buffers allocated on a device.
    pub allocations: u64,
    /// Device buffers freed.
    pub frees: u64,
    /// Graph nodes recorded.
    pub nodes: u64,
    /// Graph nodes freed.
    pub nodes_freed: u64,
    /// Array storages of Part 3 created, on any device.
    pub storages: u64,
    /// Array storages freed, or returned to the cache.
    pub storages_freed: u64,
}

thread_local! {
    static COUNTS: RefCell<Counts> = const { RefCell::new(Counts {
        launches: 0, builds: 0, waits: 0, bytes_reached: 0, products: 0,
        bytes_to_device: 0, bytes_to_host: 0, allocations: 0, frees: 0,
        nodes: 0, nodes_freed: 0, storages: 0, storages_freed: 0,
    }) };
}

/// The memory used by the arrays of a device, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Memory {
    /// Bytes in use now.
    pub now: u64,
    /// The maximum number of bytes ever in use.
    pub peak: u64,
    /// Freed bytes that are cached for reuse.
    pub cached: u64,
}

/// Changes this thread's counts: `ledger::count(|c| c.launches += 1)`.
pub(crate) fn count(entry: impl FnOnce(&mut Counts)) {
    COUNTS.with_borrow_mut(entry);
}

/// Runs `step`, and returns its value and what it cost on this thread.
pub fn measure<T>(step: impl FnOnce() -> T) -> (T, Counts) {
    let before = totals();
    let value = step();
    (value, totals() - before)
}

/// Returns this thread's counts since it started.
#[doc(hidden)]
pub fn totals() -> Counts {
    COUNTS.with_borrow(Counts::clone)
}

impl Counts {
    /// Returns the number of nodes created and not freed, which is 0 after a
    /// step that leaks nothing.
    pub fn live_nodes(&self) -> i64 {
        self.nodes as i64 - self.nodes_freed as i64
    }

    /// Returns the number of storages created and not freed, which is 0 after
    /// a step that keeps nothing.
    pub fn live_storages(&self) -> i64 {
        self.storages as i64 - self.storages_freed as i64
    }
}

impl Sub for Counts {
    type Output = Counts;

    fn sub(self, before: Counts) -> Counts {
        Counts {
            launches: self.launches - before.launches,
            builds: self.builds - before.builds,
            waits: self.waits - before.waits,
            bytes_reached: self.bytes_reached - before.bytes_reached,
            products: self.products - before.products,
            bytes_to_device: self.bytes_to_device - before.bytes_to_device,
            bytes_to_host: self.bytes_to_host - before.bytes_to_host,
            allocations: self.allocations - before.allocations,
            frees: self.frees - before.frees,
            nodes: self.nodes - before.nodes,
            nodes_freed: self.nodes_freed - before.nodes_freed,
            storages: self.storages - before.storages,
            storages_freed: self.storages_freed - before.storages_freed,
        }
    }
}

impl fmt::Display for Counts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "kernel launches     {:>8}", self.launches)?;
        writeln!(f, "kernel builds       {:>8}", self.builds)?;
        writeln!(f, "bytes to device     {:>8}", self.bytes_to_device)?;
        writeln!(f, "bytes to host       {:>8}", self.bytes_to_host)?;
        writeln!(f, "device allocations  {:>8}", self.allocations)?;
        write!(f, "graph nodes         {:>8}", self.nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_subtracted_field_by_field() {
        let counts = |by: u64| Counts {
            launches: by,
            builds: 2 * by,
            waits: 3 * by,
            bytes_reached: 4 * by,
            products: 5 * by,
            bytes_to_device: 6 * by,
            bytes_to_host: 7 * by,
            allocations: 8 * by,
            frees: 9 * by,
            nodes: 10 * by,
            nodes_freed: 11 * by,
            storages: 12 * by,
            storages_freed: 13 * by,
        };
        assert_eq!(counts(5) - counts(2), counts(3));
    }

    #[test]
    fn counts_print_one_line_each() {
        let counts = Counts {
            launches: 1,
            builds: 2,
            bytes_to_device: 3_000_000,
            bytes_to_host: 4,
            allocations: 5,
            nodes: 6,
            ..Counts::default()
        };
        let expected = "\
kernel launches            1
kernel builds              2
bytes to device      3000000
bytes to host              4
device allocations         5
graph nodes                6";
        assert_eq!(counts.to_string(), expected);
    }
}
