//! The sources of data that a tensor can be created from, built in "One
//! tensor, two devices". Every combination of source and device is handled by
//! type.

use ndarray::{ArrayBase, ArrayD, Data as Elements, Dimension};

#[cfg(feature = "opencl")]
use crate::checks;
use crate::error::Result;
#[cfg(feature = "opencl")]
use crate::opencl::Buffer;
use crate::part3_unified::{Array, Device, Tensor};

// ANCHOR: data
/// Elements in host memory or in a device buffer.
#[derive(Debug)]
pub enum Data {
    /// In host memory, in row-major order.
    Host(Vec<f32>),
    /// In a buffer of an OpenCL device.
    #[cfg(feature = "opencl")]
    Buffer(Buffer<f32>),
}
// ANCHOR_END: data

// ANCHOR: from-data
impl Array {
    /// Creates an array on `device` from data that may be elsewhere.
    pub fn from_data(
        shape: &[usize],
        data: impl Into<Data>,
        device: Device,
    ) -> Result<Array> {
        match data.into() {
            Data::Host(values) => Array::new(shape, &values, device),
            // A buffer that is already on this device is not copied.
            #[cfg(feature = "opencl")]
            Data::Buffer(buffer) => {
                checks::element_count(shape, buffer.len())?;
                let storage = device.backend()?.adopt(buffer)?;
                Ok(Array::dense(device, storage, shape))
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

#[cfg(feature = "opencl")]
impl From<Buffer<f32>> for Data {
    fn from(buffer: Buffer<f32>) -> Data {
        Data::Buffer(buffer)
    }
}

impl Tensor {
    /// Creates a tensor from an ndarray in any memory layout. It has the same
    /// shape, and its elements are stored in row-major order.
    ///
    /// ```
    /// use rungrad::part3_unified::{Device, Tensor};
    /// let columns = ndarray::array![[1.0_f32, 3.0], [2.0, 4.0]];
    /// let x = Tensor::from_ndarray(&columns.t(), Device::Cpu)?;
    /// assert_eq!(x.to_vec()?, [1.0, 2.0, 3.0, 4.0]);
    /// assert_eq!(x.to_ndarray()?, columns.t().into_dyn());
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there is no such device, or it is out of memory.
    #[doc(alias = "from_numpy")]
    pub fn from_ndarray<S: Elements<Elem = f32>, D: Dimension>(
        array: &ArrayBase<S, D>,
        device: Device,
    ) -> Result<Tensor> {
        let values: Vec<f32> = array.iter().copied().collect();
        Tensor::new(array.shape(), &values, device)
    }

    /// Copies the elements to an ndarray of the same shape on the host.
    ///
    /// ```
    /// # use rungrad::part3_unified::{Device, Tensor};
    /// let x = Tensor::new(&[2, 2], &[1.0, 2.0, 3.0, 4.0], Device::Cpu)?;
    /// let array = x.transpose().to_ndarray()?;
    /// assert_eq!(array[[0, 1]], 3.0);
    /// # Ok::<(), rungrad::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the download from the device fails, or the host is out of memory.
    #[doc(alias = "numpy")]
    pub fn to_ndarray(&self) -> Result<ArrayD<f32>> {
        let values = self.to_vec()?;
        let array = ArrayD::from_shape_vec(self.shape(), values);
        Ok(array.expect("an element for each place"))
    }
}
