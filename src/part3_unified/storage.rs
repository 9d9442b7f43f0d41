//! Flat memory on one device, built in "One tensor, two devices".

use std::any::Any;
use std::fmt;
use std::fmt::Debug;
use std::sync::Arc;

// ANCHOR: dtype
/// What the numbers of a storage are. What stores them or computes with them
/// asks which.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DType {
    /// 32 bits: 24 for the digits, 8 for the exponent.
    #[default]
    F32,
    /// 64 bits: 53 for the digits, 11 for the exponent.
    F64,
    /// 16 bits: 11 for the digits, 5 for the exponent. Such a number is kept,
    /// and computed with in 32 bits.
    F16,
}
// ANCHOR_END: dtype

impl DType {
    /// Returns the bytes of a number.
    pub fn size(self) -> usize {
        match self {
            DType::F32 => 4,
            DType::F64 => 8,
            DType::F16 => 2,
        }
    }

    /// Returns the type in which is computed, and in which what is not yet a
    /// result is kept.
    pub fn wide(self) -> DType {
        match self {
            DType::F16 => DType::F32,
            other => other,
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            DType::F32 => "f32",
            DType::F64 => "f64",
            DType::F16 => "f16",
        })
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
