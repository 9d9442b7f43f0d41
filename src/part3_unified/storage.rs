//! Flat memory on one device, built in chapter 21.

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

// ANCHOR: storage
/// Numbers in a row, without shape. What holds them is the backend's own
/// affair: a `Vec` on the processor, a buffer on an OpenCL device.
pub trait Storage: Any + Debug + Send + Sync {
    /// How many numbers there are.
    fn len(&self) -> usize;

    /// Whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A storage that views share. It is freed with the last of them.
pub type Shared = Arc<dyn Storage>;
// ANCHOR_END: storage
