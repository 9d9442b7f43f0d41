//! Buffers whose memory holds values of another type than they were made for:
//! those of a pool, where numbers of every size use what others have left.

use super::buffer::Buffer;
use super::element::{Element, Stored};
use super::launch::Launch;

impl<'a> Launch<'a> {
    /// Adds a buffer that the kernel reads as values of another type.
    pub(crate) fn input_as<T: Stored>(
        self,
        buffer: &'a Buffer<impl Element>,
    ) -> Launch<'a> {
        self.buffer::<T>(buffer, 0, false)
    }

    /// Adds one that it writes so.
    pub(crate) fn output_as<T: Stored>(
        self,
        buffer: &'a Buffer<impl Element>,
    ) -> Launch<'a> {
        self.buffer::<T>(buffer, 0, true)
    }
}
