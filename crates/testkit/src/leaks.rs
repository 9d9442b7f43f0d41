//! Fails a test that leaks nodes or memory.

use std::thread;

use rungrad::ledger::{self, Counts};

/// Records the current counts. Dropping the returned value at the end of the
/// test asserts that the counts are the same.
pub fn clean() -> Clean {
    Clean(ledger::totals())
}

/// The counts at the beginning of a test.
pub struct Clean(Counts);

impl Drop for Clean {
    fn drop(&mut self) {
        // Leaks after a failure are not reported.
        if thread::panicking() {
            return;
        }
        let counts = ledger::totals() - self.0;
        assert_eq!(counts.live_nodes(), 0, "nodes stay behind");
        assert_eq!(counts.live_storages(), 0, "storages stay behind");
        // Part 3 keeps unused buffers for reuse. They do not count as
        // storages.
        if counts.storages == 0 {
            let kept = counts.allocations as i64 - counts.frees as i64;
            assert_eq!(kept, 0, "buffers stay behind");
        }
    }
}
