//! Flat memory on one device, built in chapter 21.

use crate::opencl::Buffer;

/// Numbers in a row, without shape. Views share it.
#[derive(Debug)]
pub enum Storage {
    /// In the host's memory.
    Cpu(Vec<f32>),
    /// In the memory of an OpenCL device.
    Gpu(Buffer<f32>),
}
