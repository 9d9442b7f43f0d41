//! Memory of the host, counted.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Memory, Shared, Storage};
use crate::error::{Result, room};
use crate::ledger;

/// Numbers in the host's memory.
pub(super) struct Host(pub(super) Vec<f32>);

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
    pub(super) fn shared(values: Vec<f32>) -> Shared {
        let bytes = size_of_val(&values[..]) as u64;
        let before = NOW.fetch_add(bytes, Ordering::Relaxed);
        PEAK.fetch_max(before + bytes, Ordering::Relaxed);
        ledger::count(|counts| counts.storages += 1);
        Arc::new(Host(values))
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        NOW.fetch_sub(size_of_val(&self.0[..]) as u64, Ordering::Relaxed);
        ledger::count(|counts| counts.storages_freed += 1);
    }
}

/// Bytes in use now, and at the peak.
pub(super) fn memory() -> Memory {
    let read = |bytes: &AtomicU64| bytes.load(Ordering::Relaxed);
    Memory { now: read(&NOW), peak: read(&PEAK), kept: 0 }
}

/// Numbers once more, where there is room for them.
pub(super) fn copied(values: &[f32]) -> Result<Vec<f32>> {
    let mut copied = room(values.len())?;
    copied.extend_from_slice(values);
    Ok(copied)
}
