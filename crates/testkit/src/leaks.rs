//! Fails a test that leaves nodes or memory behind.

use std::thread;

use rungrad::ledger::{self, Counts};

/// Counts what is live now; when the returned value is dropped, at the end of
/// the test, the counts must be the same.
pub fn clean() -> Clean {
    Clean(ledger::totals())
}

/// The counts at the beginning of a test.
pub struct Clean(Counts);

impl Drop for Clean {
    fn drop(&mut self) {
        // A test that has failed already may leave anything behind.
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
