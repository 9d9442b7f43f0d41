//! The element types that a kernel is compiled for.

use crate::opencl::Kernel;
use crate::part3_unified::DType;

/// The element types that a kernel reads and writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Types {
    pub(crate) from: DType,
    pub(crate) to: DType,
}

impl From<DType> for Types {
    fn from(both: DType) -> Types {
        Types { from: both, to: both }
    }
}

impl Types {
    /// Returns the types of the first of two launches: if there is more than
    /// one part, the results of the parts are stored in a wider type.
    pub(crate) fn of_parts(from: DType, to: DType, parts: usize) -> Types {
        match parts {
            1 => Types { from, to },
            _ => Types { from, to: from.wide() },
        }
    }
}

impl Types {
    /// Returns whether the kernel reads and writes `f16`.
    pub(crate) fn are_halves(self) -> bool {
        matches!((self.from, self.to), (DType::F16, DType::F16))
    }
}

/// The options for `f32`, the default.
pub(super) const F32: &str = "-DT=float -DOUT=float -DACC=float";

impl Types {
    /// Returns the compiler options: `T` is the type that is read, `OUT` the
    /// type that is written, and `ACC` the type of the arithmetic. See
    /// `kernels/numbers.cl`.
    const fn options(self) -> &'static str {
        use DType::{F16, F32, F64};
        match (self.from, self.to) {
            (F32, F32) => self::F32,
            (F64, F64) => "-DT=double -DOUT=double -DACC=double",
            (F16, F16) => {
                "-DT=half -DOUT=half -DACC=float -DT_IS_HALF -DOUT_IS_HALF"
            }
            (F16, F32) => "-DT=half -DOUT=float -DACC=float -DT_IS_HALF",
            (F32, F16) => "-DT=float -DOUT=half -DACC=float -DOUT_IS_HALF",
            (F16, F64) => "-DT=half -DOUT=double -DACC=float -DT_IS_HALF",
            (F64, F16) => "-DT=double -DOUT=half -DACC=double -DOUT_IS_HALF",
            (F32, F64) => "-DT=float -DOUT=double -DACC=float",
            (F64, F32) => "-DT=double -DOUT=float -DACC=double",
        }
    }
}

/// Returns a kernel compiled for these types.
pub(crate) fn typed(kernel: &Kernel, types: Types) -> Kernel {
    // SAFETY: the files of Part 3 guard each access by the number of elements,
    // for any element type.
    unsafe { kernel.with_types(types.options()) }
}
