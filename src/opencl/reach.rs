//! How far a kernel of this crate reaches into its buffers, as a function of
//! what it is given. The host compares that with the buffers before each
//! launch; `Kernel::new` is where a kernel promises it.

use std::iter;

use smallvec::SmallVec;

use super::argument::{Argument, Scalar};

/// How many values of each buffer, in the order of the arguments, a kernel
/// may touch. `None` if the arguments are not those that it expects.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reach {
    /// As the arguments of a launch say.
    Computed(fn(&Given) -> Option<Reached>),
    /// The same at each launch.
    Fixed(&'static [u64]),
}

/// A length for each buffer, on the stack: there are never many.
pub(crate) type Reached = SmallVec<[u64; 8]>;

/// What a kernel of this crate is given, from which it says how far it will
/// reach into each buffer.
pub(crate) struct Given<'a> {
    pub(super) arguments: &'a [Argument<'a>],
    /// The number of work-groups in each dimension, and of the items of one.
    pub(super) groups: [usize; 3],
    pub(super) items: [usize; 3],
}

impl<'a> Given<'a> {
    /// Lists for each buffer its length, and how far a kernel with this reach
    /// goes into it; `None` where it cannot take these arguments.
    pub(super) fn reaches(
        &self,
        reach: Option<Reach>,
    ) -> Option<impl Iterator<Item = (u64, u64)> + use<'a>> {
        let reached = match reach {
            Some(Reach::Computed(reach)) => reach(self)?,
            Some(Reach::Fixed(reach)) => Reached::from_slice(reach),
            None => Reached::new(),
        };
        let lengths = self.arguments.iter().filter_map(|it| match it {
            Argument::Buffer { len, .. } => Some(*len as u64),
            Argument::Scalar(_) => None,
        });
        // Of a buffer that the kernel does not speak of, nothing is reached.
        Some(lengths.zip(reached.into_iter().chain(iter::repeat(0))))
    }

    /// Returns the `uint` at a place among the arguments, which count from 0.
    pub(crate) fn uint(&self, index: usize) -> Option<u64> {
        match self.arguments.get(index) {
            Some(Argument::Scalar(Scalar::U32(value))) => Some((*value).into()),
            _ => None,
        }
    }

    /// Returns the `int` at a place, if it is not negative.
    pub(crate) fn int(&self, index: usize) -> Option<u64> {
        match self.arguments.get(index) {
            Some(Argument::Scalar(Scalar::I32(value))) => {
                (*value).try_into().ok()
            }
            _ => None,
        }
    }

    /// Returns the `int8` at a place among the arguments.
    pub(crate) fn int8(&self, index: usize) -> Option<[i128; 8]> {
        match self.arguments.get(index) {
            Some(Argument::Scalar(Scalar::I32x8(values))) => {
                Some(values.map(i128::from))
            }
            _ => None,
        }
    }

    /// Counts the items a group has along a dimension.
    pub(crate) fn items(&self, dimension: usize) -> u64 {
        self.items[dimension] as u64
    }

    /// Tells how many work-groups there are along a dimension.
    pub(crate) fn groups(&self, dimension: usize) -> u64 {
        self.groups[dimension] as u64
    }
}

/// Computes how far a view reaches into a buffer. The kernels count in `int`.
pub(crate) fn view(
    offset: u64,
    shape: [i128; 8],
    strides: [i128; 8],
) -> Option<u64> {
    let (mut first, mut last) = (i128::from(offset), i128::from(offset));
    for (size, stride) in shape.into_iter().zip(strides) {
        if size < 1 {
            return None;
        }
        let way = (size - 1) * stride;
        first += way.min(0);
        last += way.max(0);
    }
    let inside = first >= 0 && last < i32::MAX.into();
    inside.then_some(last as u64 + 1)
}

/// Checks that a number of elements is not 0 and that a `uint` can hold it:
/// what a kernel may divide by, or multiply without losing a carry.
pub(crate) fn counted(size: u64) -> Option<u64> {
    (1..=u32::MAX.into()).contains(&size).then_some(size)
}
