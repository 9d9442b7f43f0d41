//! Flat memory on one device, built in "One tensor, two devices".

use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

/// What the numbers of a storage are. There is one kind so far; what stores
/// them or computes with them asks which.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DType {
    /// 32 bits: 24 for the digits, 8 for the exponent.
    #[default]
    F32,
}

impl DType {
    /// Returns the bytes of a number.
    pub fn size(self) -> usize {
        match self {
            DType::F32 => size_of::<f32>(),
        }
    }

    /// Says what the texts of the kernels are compiled with: `T` is a number
    /// of an array, and `ACC` is a running sum of many of them, which may need
    /// more digits.
    pub const fn options(self) -> &'static str {
        match self {
            DType::F32 => "-DT=float -DACC=float",
        }
    }
}

// ANCHOR: storage
/// Numbers in a row, without shape. What holds them is the backend's own
/// affair: a `Vec` on the processor, a buffer on an OpenCL device.
pub trait Storage: Any + Debug + Send + Sync {
    /// Counts the numbers.
    fn len(&self) -> usize;

    /// Returns their type.
    fn dtype(&self) -> DType {
        DType::F32
    }

    /// Says whether there is none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A storage that views share. It is freed with the last of them.
pub type Shared = Arc<dyn Storage>;
// ANCHOR_END: storage
