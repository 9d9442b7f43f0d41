//! For which numbers a kernel is compiled.

use super::super::DType;
use crate::opencl::Kernel;

/// The type of the numbers that a kernel reads, and of those that it writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) struct Types {
    pub(in super::super) from: DType,
    pub(in super::super) to: DType,
}

impl From<DType> for Types {
    fn from(both: DType) -> Types {
        Types { from: both, to: both }
    }
}

impl Types {
    /// Returns those of a stage: where its results are parts of others, they
    /// are kept in a type that is wide enough.
    pub(in super::super) fn of_parts(
        from: DType,
        to: DType,
        parts: usize,
    ) -> Types {
        match parts {
            1 => Types { from, to },
            _ => Types { from, to: from.wide() },
        }
    }
}

impl Types {
    /// Tells whether 16 bits are read and written.
    pub(in super::super) fn are_halves(self) -> bool {
        matches!((self.from, self.to), (DType::F16, DType::F16))
    }
}

// ANCHOR: types
/// For kernels that nobody has asked for another type.
pub(super) const F32: &str = "-DT=float -DOUT=float -DACC=float";

impl Types {
    /// Says what the texts of the kernels are compiled with: `T` is a number
    /// that is read, `OUT` one that is written, and in `ACC` is computed. See
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

/// Returns a kernel for numbers of some types.
pub(in super::super) fn typed(kernel: &Kernel, types: Types) -> Kernel {
    // SAFETY: a file of Part 3 counts elements, and guards each access by
    // their number, whatever they are.
    unsafe { kernel.with_types(types.options()) }
}
// ANCHOR_END: types
