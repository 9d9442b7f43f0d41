//! Buffers whose memory holds values of a type other than their element type,
//! such as the buffers of a memory pool, which are reused for elements of any
//! size.

use super::buffer::Buffer;
use super::element::{Element, Stored};
use super::launch::Launch;

impl<'a> Launch<'a> {
    /// Adds the next argument, a buffer that the kernel reads as values of
    /// type `T`.
    pub(crate) fn input_as<T: Stored>(
        self,
        buffer: &'a Buffer<impl Element>,
    ) -> Launch<'a> {
        self.buffer::<T>(buffer, 0, false)
    }

    /// Adds the next argument, a buffer that the kernel writes as values of
    /// type `T`.
    pub(crate) fn output_as<T: Stored>(
        self,
        buffer: &'a Buffer<impl Element>,
    ) -> Launch<'a> {
        self.buffer::<T>(buffer, 0, true)
    }
}
