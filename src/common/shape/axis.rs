//! Axes of a shape, counted from either end.

/// The number of an axis. A negative number counts from the end: -1 is the
/// last axis.
///
/// ```
/// # use rungrad::part3_unified::{Device, Keep, Tensor};
/// let x = Tensor::new(&[2, 2], &[1.0, 2.0, 3.0, 4.0], Device::Cpu)?;
/// assert_eq!(x.sum_over(&[-1], Keep::No).to_vec()?, [3.0, 7.0]);
/// # Ok::<(), rungrad::Error>(())
/// ```
pub trait Axis: Copy {
    /// Returns the number with its sign.
    fn number(self) -> isize;

    /// Returns the index of the axis, counted from the first, or `None` if
    /// a shape with `rank` axes does not have it.
    fn index(self, rank: usize) -> Option<usize> {
        let index = match self.number() {
            axis @ 0.. => axis as usize,
            axis => rank.checked_sub(axis.unsigned_abs())?,
        };
        (index < rank).then_some(index)
    }
}

impl Axis for usize {
    fn number(self) -> isize {
        self.try_into().unwrap_or(isize::MAX)
    }
}

impl Axis for isize {
    fn number(self) -> isize {
        self
    }
}

/// The type of a literal: `-1`.
impl Axis for i32 {
    fn number(self) -> isize {
        self as isize
    }
}
