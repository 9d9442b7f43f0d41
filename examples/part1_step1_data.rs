//! Step 1: a tensor holds data and does not record where it came from.

// ANCHOR: step1
use ndarray::{Array1, array};

struct Tensor {
    data: Array1<f32>,
}

impl Tensor {
    fn new(data: Array1<f32>) -> Tensor {
        Tensor { data }
    }

    fn mul(&self, other: &Tensor) -> Tensor {
        Tensor::new(&self.data * &other.data)
    }
}

fn main() {
    let a = Tensor::new(array![2.0]);
    let b = Tensor::new(array![3.0]);
    let c = a.mul(&b);
    println!("c = {}", c.data);
}
// ANCHOR_END: step1
