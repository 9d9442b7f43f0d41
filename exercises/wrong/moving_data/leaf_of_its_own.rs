// The copy requires a gradient, and keeps it.

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
    match data {
        Data::List(shape, values) => Tensor::new(&shape, &values, device),
        Data::Ndarray(array) => {
            let values: Vec<f32> = array.iter().copied().collect();
            Tensor::new(array.shape(), &values, device)
        }
        Data::Tensor(tensor) if tensor.device() == device => Ok(tensor),
        Data::Tensor(tensor) => Ok(tensor.detach().to(device)?.requires_grad()),
    }
}
