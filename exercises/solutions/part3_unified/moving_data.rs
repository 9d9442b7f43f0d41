// moving_data: data of every kind to every device.
//
// WHAT   Numbers come as a list with a shape, as an ndarray in any layout, or
//        as a tensor that is on some device already. Make a tensor from them
//        that is on `device`.
// WHY    Each kind of data on each device is a case of its own, and a case
//        that is forgotten shows late: a tensor in the wrong place, a copy
//        that nobody asked for, a gradient that never arrives. Where the
//        kinds are an enum, `match` forgets none.
// READ   One tensor, two devices
// CHECK  cargo learn check moving_data

use ndarray::ArrayD;
use rungrad::Error;
use rungrad::part3_unified::{Device, Tensor};

/// Numbers as they come.
pub enum Data {
    /// A shape, and the elements in row-major order.
    List(Vec<usize>, Vec<f32>),
    /// The elements may lie in any order in memory; `iter()` gives them in
    /// row-major order.
    Ndarray(ArrayD<f32>),
    /// On some device, and perhaps part of a graph. What is there already
    /// needs no copy, and a gradient has to find its way back.
    Tensor(Tensor),
}

/// Copies the elements into a tensor on `device`.
pub fn moved(data: Data, device: Device) -> Result<Tensor, Error> {
    // HOLE
    //| // `Tensor::new(&shape, &values, device)` copies numbers of the host
    //| // to a device, and `tensor.to(device)` moves a tensor.
    //| todo!("TODO(moving_data): a match with a case for each kind of data")
    match data {
        Data::List(shape, values) => Tensor::new(&shape, &values, device),
        Data::Ndarray(array) => {
            let values: Vec<f32> = array.iter().copied().collect();
            Tensor::new(array.shape(), &values, device)
        }
        Data::Tensor(tensor) => tensor.to(device),
    }
    // END HOLE
}
