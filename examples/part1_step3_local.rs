//! Step 3: each multiplication carries its own backward rule; first seeded
//! with zero, then with ones.

// ANCHOR: step3-tensor
use std::cell::RefCell;
use std::rc::Rc;

use ndarray::{Array1, array};

struct Tensor {
    data: Array1<f32>,
    grad: RefCell<Array1<f32>>,
    parents: Vec<Rc<Tensor>>,
}

impl Tensor {
    fn new(data: Array1<f32>) -> Rc<Tensor> {
        Tensor::with_parents(data, vec![])
    }

    fn with_parents(data: Array1<f32>, parents: Vec<Rc<Tensor>>) -> Rc<Self> {
        let grad = RefCell::new(Array1::zeros(data.len()));
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

    // ANCHOR: step3-end
    fn show(&self, name: &str) {
        let (data, grad) = (&self.data, self.grad.borrow());
        println!("{name}: <Tensor with data: {data}, grad: {grad}>");
    }
}
// ANCHOR_END: step3-end
// ANCHOR_END: step3-tensor

// ANCHOR: step3-main
fn main() {
    let a = Tensor::new(array![2.0]);
    let b = Tensor::new(array![3.0]);
    let c = a.mul(&b);
    c.local_backward();
    println!("c.grad starts at 0:");
    a.show("a");
    b.show("b");

    let a = Tensor::new(array![2.0]);
    let b = Tensor::new(array![3.0]);
    let c = a.mul(&b);
    *c.grad.borrow_mut() = Array1::ones(c.data.len());
    c.local_backward();
    println!("c.grad starts at 1:");
    a.show("a");
    b.show("b");
}
// ANCHOR_END: step3-main
