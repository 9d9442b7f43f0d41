//! Step 4: backward for the whole graph, including the notebook's bug.

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

    // ANCHOR: step4-end
    fn build_topo(self: &Rc<Tensor>) -> Vec<Rc<Tensor>> {
        fn visit(v: &Rc<Tensor>, topo: &mut Vec<Rc<Tensor>>) {
            if topo.iter().any(|seen| Rc::ptr_eq(seen, v)) {
                return;
            }
            for parent in &v.parents {
                visit(parent, topo);
            }
            topo.push(v.clone());
        }
        let mut topo = vec![];
        visit(self, &mut topo);
        topo
    }

    fn show(&self, name: &str) {
        let (data, grad) = (&self.data, self.grad.borrow());
        println!("{name}: <Tensor with data: {data}, grad: {grad}>");
    }
}

// ANCHOR: step4-backward
impl Tensor {
    fn backward(self: &Rc<Tensor>) {
        *self.grad.borrow_mut() = Array1::ones(self.data.len());
        for tensor in self.build_topo().iter().rev() {
            tensor.local_backward();
        }
    }
}
// ANCHOR_END: step4-backward
// ANCHOR_END: step4-end

// ANCHOR: step4-main
fn main() {
    let a = Tensor::new(array![2.0, 3.0]);
    let b = Tensor::new(array![3.0, 4.0]);
    let c = a.mul(&b);
    let d = c.mul(&b);
    d.backward();
    println!("after one backward:");
    a.show("a");
    b.show("b");

    // Twice the gradients would be [18, 32] and [24, 48].
    d.backward();
    println!("after a second one:");
    a.show("a");
    b.show("b");
}
// ANCHOR_END: step4-main
