//! What a tensor can be made of, built in chapter 21: every pair of data and
//! device, told apart by type.

use ndarray::{ArrayBase, Data as Elements, Dimension};

use super::array::check_size;
use super::backend::gpu::OpenCl;
use super::{Array, Device};
use crate::error::Error;
use crate::opencl::Buffer;

// ANCHOR: data
/// Numbers as they come, wherever they are.
#[derive(Debug)]
pub enum Data {
    /// In the host's memory, in row-major order.
    Host(Vec<f32>),
    /// In a buffer of an OpenCL device.
    Buffer(Buffer<f32>),
}
// ANCHOR_END: data

// ANCHOR: from-data
impl Array {
    /// An array of a shape on a device, of numbers that may be elsewhere.
    pub fn from_data(
        shape: &[usize],
        data: impl Into<Data>,
        device: Device,
    ) -> Result<Array, Error> {
        match (data.into(), device) {
            (Data::Host(values), _) => Array::new(shape, &values, device),
            // It is there already, and moves in without a copy.
            (Data::Buffer(buffer), Device::Gpu(i))
                if buffer.gpu().info().index == i =>
            {
                check_size(shape, buffer.len())?;
                let storage = OpenCl::open(i)?.adopt(buffer);
                Ok(Array::dense(device, storage, shape))
            }
            (Data::Buffer(buffer), _) => {
                Array::new(shape, &buffer.read()?, device)
            }
        }
    }
}
// ANCHOR_END: from-data

impl From<Vec<f32>> for Data {
    fn from(values: Vec<f32>) -> Data {
        Data::Host(values)
    }
}

impl From<&[f32]> for Data {
    fn from(values: &[f32]) -> Data {
        Data::Host(values.to_vec())
    }
}

impl<const N: usize> From<[f32; N]> for Data {
    fn from(values: [f32; N]) -> Data {
        Data::Host(values.to_vec())
    }
}

// ANCHOR: ndarray
/// An ndarray in any layout, its elements in row-major order.
impl<S: Elements<Elem = f32>, D: Dimension> From<&ArrayBase<S, D>> for Data {
    fn from(array: &ArrayBase<S, D>) -> Data {
        Data::Host(array.iter().copied().collect())
    }
}
// ANCHOR_END: ndarray

impl From<Buffer<f32>> for Data {
    fn from(buffer: Buffer<f32>) -> Data {
        Data::Buffer(buffer)
    }
}
