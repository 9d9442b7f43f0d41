//! What the test files share: one specification for every engine, seeded
//! numbers, and the loud skip.
#![allow(dead_code, unreachable_pub, unused_macros)]

use std::thread;

use rungrad::ledger::{self, Counts};

pub mod calls;
pub mod cases;
pub mod device;
#[macro_use]
pub mod edges;
pub mod elementwise;
pub mod engine;
#[macro_use]
pub mod network;
#[macro_use]
pub mod operators;
pub mod random;
pub mod refusal;
#[macro_use]
pub mod refusals;
#[macro_use]
pub mod spec;
#[macro_use]
pub mod verdict;

/// Stands at the head of a test, and fails it at its end if it leaves a node
/// or a piece of memory behind.
pub fn clean() -> Clean {
    Clean(ledger::totals())
}

pub struct Clean(Counts);

impl Drop for Clean {
    fn drop(&mut self) {
        // Who fails leaves what he likes.
        if thread::panicking() {
            return;
        }
        let counts = ledger::totals() - self.0;
        assert_eq!(counts.live_nodes(), 0, "nodes stay behind");
        assert_eq!(counts.live_storages(), 0, "storages stay behind");
        // Part 3 keeps buffers for their next use; they are not storages
        // then.
        if counts.storages == 0 {
            let kept = counts.allocations as i64 - counts.frees as i64;
            assert_eq!(kept, 0, "buffers stay behind");
        }
    }
}
