// moving_data: all kinds of data to all devices.
//
// WHAT   Data is given as a list with a shape, as an ndarray in any layout, or
//        as a tensor that is already on some device. Create a tensor from it
//        on `device`.
// WHY    Each kind of data on each device is a separate case, and a missing
//        case is noticed late: a tensor on the wrong device, an unnecessary
//        copy, or a gradient that never arrives. If the kinds are an enum,
//        `match` cannot forget one.
// READ   One tensor, two devices
// CHECK  cargo learn check moving_data

use ndarray::ArrayD;
use rungrad::Error;
use rungrad::part3_unified::{Device, Tensor};

/// Data from different sources.
pub enum Data {
    /// A shape, and the elements in row-major order.
    List(Vec<usize>, Vec<f32>),
    /// The elements may be in any order in memory; `iter()` returns them in
    /// row-major order.
    Ndarray(ArrayD<f32>),
    /// A tensor on some device, possibly part of a graph. If it is already on
    /// the target device, it must not be copied, and gradients must flow
    /// through it.
    Tensor(Tensor),
}

/// Copies the elements into a tensor on `device`.
pub fn moved(data: Data, device: Device) -> Result<Tensor, Error> {
    // `Tensor::new(&shape, &values, device)` copies numbers of the host
    // to a device, and `tensor.to(device)` moves a tensor.
    todo!("TODO(moving_data): a match with one arm per kind of data")
}
