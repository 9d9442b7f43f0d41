//! Flat memory on one device, built in "One tensor, two devices".

use std::any::Any;
use std::fmt;
use std::fmt::Debug;
use std::sync::Arc;

// ANCHOR: dtype
/// The type of the elements in a storage.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DType {
    /// 32 bits: 24 bits of precision, 8 bits of exponent.
    #[default]
    F32,
    /// 64 bits: 53 bits of precision, 11 bits of exponent.
    F64,
    /// 16 bits: 11 bits of precision, 5 bits of exponent. Used for storage
    /// only: operations convert to 32 bits, compute, and round the result.
    F16,
}
// ANCHOR_END: dtype

impl DType {
    /// Returns the size of an element in bytes.
    pub fn size(self) -> usize {
        match self {
            DType::F32 => 4,
            DType::F64 => 8,
            DType::F16 => 2,
        }
    }

    /// Returns the type used for computation and for intermediate results.
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
/// A flat sequence of elements without a shape. Each backend has its own
/// implementation: a `Vec` on the CPU, a buffer on an OpenCL device.
pub trait Storage: Any + Debug + Send + Sync {
    /// Returns the number of elements.
    fn len(&self) -> usize;

    /// Returns the element type.
    fn dtype(&self) -> DType {
        DType::F32
    }

    /// Returns `true` if the storage is empty.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// A storage shared by the arrays that view it, and freed with the last of
/// them.
pub type Shared = Arc<dyn Storage>;
// ANCHOR_END: storage
