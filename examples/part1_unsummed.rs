//! The notebook's product of a column and a row: the forward pass works, the
//! backward pass cannot.

use std::panic;

// ANCHOR: unsummed-tensor
use std::cell::RefCell;
use std::rc::Rc;

use ndarray::{Array2, array};

struct Tensor {
    data: Array2<f32>,
    grad: RefCell<Array2<f32>>,
    parents: Vec<Rc<Tensor>>,
}

impl Tensor {
    fn new(data: Array2<f32>) -> Rc<Tensor> {
        Tensor::with_parents(data, vec![])
    }

    fn with_parents(data: Array2<f32>, parents: Vec<Rc<Tensor>>) -> Rc<Self> {
        let grad = RefCell::new(Array2::zeros(data.dim()));
        Rc::new(Tensor { data, grad, parents })
    }

    fn mul(self: &Rc<Tensor>, other: &Rc<Tensor>) -> Rc<Tensor> {
        let parents = vec![self.clone(), other.clone()];
        Tensor::with_parents(&self.data * &other.data, parents)
    }

    fn local_backward(&self) {
        if let [a, b] = &self.parents[..] {
            *a.grad.borrow_mut() += &(&b.data * &*self.grad.borrow());
            *b.grad.borrow_mut() += &(&a.data * &*self.grad.borrow());
        }
    }
}
// ANCHOR_END: unsummed-tensor

// ANCHOR: unsummed-main
fn main() {
    let a = Tensor::new(array![[1.0], [2.0]]);
    let b = Tensor::new(array![[10.0, 20.0, 30.0]]);
    let c = a.mul(&b);
    println!("c = {}", c.data);

    // Print only the message; the rest of a panic report does not help here.
    panic::set_hook(Box::new(|panic| {
        println!("panic: {}", panic.payload_as_str().unwrap_or("no words"));
    }));
    *c.grad.borrow_mut() = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    let backward = panic::AssertUnwindSafe(|| c.local_backward());
    if panic::catch_unwind(backward).is_ok() {
        println!("a.grad = {}", a.grad.borrow());
    }
}
// ANCHOR_END: unsummed-main
