//! The reach of a kernel of this crate: how many values it accesses in each
//! buffer, as a function of its arguments. The host compares the reach with
//! the buffers before each launch; `Kernel::new` is where a kernel promises
//! it.

use std::cell::Cell;
use std::iter;

use smallvec::SmallVec;

use super::argument::{Argument, Scalar};

/// The number of values of each buffer, in argument order, that a kernel may
/// access.
#[derive(Clone, Copy)]
pub(super) enum Reach<'a> {
    /// Computed from the arguments of a launch; `None` if they are not the
    /// expected ones.
    Computed(fn(&LaunchArgs) -> Option<Reached>),
    /// The same for every launch.
    Fixed(&'a [u64]),
    /// Known to the caller alone.
    Unknown,
}

/// A length for each buffer. It is on the stack, because a kernel has few
/// buffers.
pub(crate) type Reached = SmallVec<[u64; 8]>;

/// The arguments and sizes of a launch, from which a kernel of this crate
/// computes its reach.
pub(crate) struct LaunchArgs<'a> {
    pub(super) arguments: &'a [Argument<'a>],
    /// The names of the kernel's parameters, in their order.
    pub(super) names: &'a [String],
    /// The number of work-groups, and the number of items in a group, in each
    /// dimension.
    pub(super) groups: [usize; 3],
    pub(super) items: [usize; 3],
    /// A name that none of the parameters has.
    pub(super) unknown: Cell<Option<String>>,
}

impl<'a> LaunchArgs<'a> {
    /// Returns, for each buffer, its length and how many values a kernel with
    /// this reach accesses, or `None` if the kernel cannot take these
    /// arguments.
    pub(super) fn reaches(
        &self,
        reach: Reach,
    ) -> Option<impl Iterator<Item = (u64, u64)> + use<'a>> {
        let reached = match reach {
            Reach::Computed(reach) => reach(self)?,
            Reach::Fixed(reach) => Reached::from_slice(reach),
            Reach::Unknown => Reached::new(),
        };
        let lengths = self.arguments.iter().filter_map(|it| match it {
            Argument::Buffer { len, .. } => Some(*len as u64),
            Argument::Scalar(_) => None,
        });
        // Buffers that the reach does not list are not accessed.
        Some(lengths.zip(reached.into_iter().chain(iter::repeat(0))))
    }

    /// Returns the index of a parameter.
    fn index(&self, name: &str) -> Option<usize> {
        let found = self.names.iter().position(|known| known == name);
        if found.is_none() {
            self.unknown.set(Some(name.to_owned()));
        }
        found
    }

    fn scalar(&self, index: usize) -> Option<Scalar> {
        match self.arguments.get(index)? {
            Argument::Scalar(scalar) => Some(*scalar),
            Argument::Buffer { .. } => None,
        }
    }

    /// Returns a `uint` argument.
    pub(crate) fn uint(&self, name: &str) -> Option<u64> {
        match self.scalar(self.index(name)?)? {
            Scalar::U32(value) => Some(value.into()),
            _ => None,
        }
    }

    /// Returns the `uint` arguments at every `step`th position from the
    /// parameter `first`, for parameters that a macro repeats.
    pub(crate) fn uints(
        &self,
        first: &str,
        step: usize,
    ) -> Option<impl Iterator<Item = Option<u64>>> {
        let indices = (self.index(first)?..).step_by(step);
        Some(indices.map(|index| match self.scalar(index)? {
            Scalar::U32(value) => Some(value.into()),
            _ => None,
        }))
    }

    /// Returns an `int` argument, if it is not negative.
    pub(crate) fn int(&self, name: &str) -> Option<u64> {
        match self.scalar(self.index(name)?)? {
            Scalar::I32(value) => value.try_into().ok(),
            _ => None,
        }
    }

    /// Returns an `int8` argument.
    pub(crate) fn int8(&self, name: &str) -> Option<[i128; 8]> {
        match self.scalar(self.index(name)?)? {
            Scalar::I32x8(values) => Some(values.map(i128::from)),
            _ => None,
        }
    }

    /// Returns the number of items in a group along a dimension.
    pub(crate) fn items(&self, dimension: usize) -> u64 {
        self.items[dimension] as u64
    }

    /// Returns the number of work-groups along a dimension.
    pub(crate) fn groups(&self, dimension: usize) -> u64 {
        self.groups[dimension] as u64
    }
}

/// Returns how many elements of a buffer a view spans. Kernels compute offsets
/// in `int`.
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
        let span = (size - 1) * stride;
        first += span.min(0);
        last += span.max(0);
    }
    let inside = first >= 0 && last < i32::MAX.into();
    inside.then_some(last as u64 + 1)
}

/// Returns the size if it is not 0 and fits a `uint`, so that a kernel may
/// divide by it and multiply without overflow.
pub(crate) fn counted(size: u64) -> Option<u64> {
    (1..=u32::MAX.into()).contains(&size).then_some(size)
}
