//! Step 2: a tensor remembers its parents.

// ANCHOR: step2
use std::rc::Rc;

use ndarray::{Array1, array};

struct Tensor {
    data: Array1<f32>,
    parents: Vec<Rc<Tensor>>,
}

impl Tensor {
    fn new(data: Array1<f32>) -> Rc<Tensor> {
        Rc::new(Tensor { data, parents: vec![] })
    }

    fn mul(self: &Rc<Tensor>, other: &Rc<Tensor>) -> Rc<Tensor> {
        let parents = vec![self.clone(), other.clone()];
        Rc::new(Tensor { data: &self.data * &other.data, parents })
    }
}

fn main() {
    let a = Tensor::new(array![2.0]);
    let b = Tensor::new(array![3.0]);
    let c = a.mul(&b);
    let d = c.mul(&b);
    for tensor in [&c, &d] {
        let [left, right] = &tensor.parents[..] else { continue };
        println!("{} = {} * {}", tensor.data, left.data, right.data);
    }
}
// ANCHOR_END: step2
