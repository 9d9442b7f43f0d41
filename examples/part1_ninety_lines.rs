//! The engine of the first four steps, without the bug of step 4.

// ANCHOR: engine
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use ndarray::{Array1, array};

type Array = Array1<f32>;
type Rule = Box<dyn Fn(&Array) -> [Array; 2]>;

#[derive(Clone)]
struct Tensor(Rc<Node>);

struct Node {
    data: Rc<Array>,
    grad: RefCell<Option<Array>>,
    parents: Vec<Tensor>,
    rule: Option<Rule>,
}

impl Tensor {
    fn new(data: Array, parents: Vec<Tensor>, rule: Option<Rule>) -> Tensor {
        let (data, grad) = (Rc::new(data), RefCell::new(None));
        Tensor(Rc::new(Node { data, grad, parents, rule }))
    }

    fn add(&self, other: &Tensor) -> Tensor {
        let data = &*self.0.data + &*other.0.data;
        let rule = |grad_out: &Array| [grad_out.clone(), grad_out.clone()];
        let parents = vec![self.clone(), other.clone()];
        Tensor::new(data, parents, Some(Box::new(rule)))
    }

    fn mul(&self, other: &Tensor) -> Tensor {
        let (a, b) = (Rc::clone(&self.0.data), Rc::clone(&other.0.data));
        let data = &*a * &*b;
        let rule = move |grad_out: &Array| [grad_out * &*b, grad_out * &*a];
        let parents = vec![self.clone(), other.clone()];
        Tensor::new(data, parents, Some(Box::new(rule)))
    }

    fn backward(&self) {
        let seed = Array::ones(self.0.data.len());
        let mut waiting = HashMap::from([(self.id(), Some(seed))]);
        let mut topo = vec![];
        build_topo(self, &mut HashSet::new(), &mut topo);
        for tensor in topo.into_iter().rev() {
            let grad_out = waiting.remove(&tensor.id()).flatten();
            let grad_out = grad_out.expect("its consumers came first");
            let Some(rule) = &tensor.0.rule else {
                accumulate(&mut tensor.0.grad.borrow_mut(), grad_out);
                continue;
            };
            for (parent, grad) in tensor.0.parents.iter().zip(rule(&grad_out)) {
                accumulate(waiting.entry(parent.id()).or_default(), grad);
            }
        }
    }

    fn id(&self) -> *const Node {
        Rc::as_ptr(&self.0)
    }
}

fn build_topo<'a>(
    tensor: &'a Tensor,
    visited: &mut HashSet<*const Node>,
    topo: &mut Vec<&'a Tensor>,
) {
    if visited.insert(tensor.id()) {
        for parent in &tensor.0.parents {
            build_topo(parent, visited, topo);
        }
        topo.push(tensor);
    }
}

fn accumulate(sum: &mut Option<Array>, grad: Array) {
    *sum = match sum.take() {
        Some(sum) => Some(sum + grad),
        None => Some(grad),
    };
}

fn main() {
    let leaf = |data| Tensor::new(data, vec![], None);
    let (a, b) = (leaf(array![2.0, 3.0]), leaf(array![3.0, 4.0]));
    let c = a.mul(&b);
    let e = c.mul(&b).add(&c);
    for _ in 0..2 {
        e.backward();
        for (name, tensor) in [("a", &a), ("b", &b), ("c", &c)] {
            let grad = tensor.0.grad.borrow().as_ref().map(|it| it.to_vec());
            println!("{name}.grad = {grad:?}");
        }
    }
}
// ANCHOR_END: engine
