//! Step 2: a tensor remembers its parents, and the graph has an order.

// ANCHOR: step2
// ANCHOR: step2-tensor
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
}
// ANCHOR_END: step2-tensor

fn main() {
    let a = Tensor::new(array![2.0]);
    let b = Tensor::new(array![3.0]);
    let c = a.mul(&b);
    print_data("c", &c.build_topo());

    let d = c.mul(&b);
    let e = d.mul(&c);
    print_data("e", &e.build_topo());
}

fn print_data(name: &str, topo: &[Rc<Tensor>]) {
    let data: Vec<String> = topo.iter().map(|t| t.data.to_string()).collect();
    println!("{name}: {}", data.join(", "));
}
// ANCHOR_END: step2
