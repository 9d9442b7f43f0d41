//! Step 1: the notebook's tensor with its data on a device, including its
//! three bugs.

use std::cell::RefCell;
use std::process::ExitCode;
use std::rc::Rc;

use rungrad::opencl::{Buffer, Gpu, Kernel};
use rungrad::part2_gpu::kernels;
use rungrad::{Error, ledger, shape};

// ANCHOR: step1-new
struct Tensor {
    data: Buffer<f32>,
    grad: RefCell<Option<Rc<Tensor>>>,
    parents: Vec<Rc<Tensor>>,
}

type Made = Result<Rc<Tensor>, Error>;

impl Tensor {
    fn new(
        data: Buffer<f32>,
        parents: Vec<Rc<Tensor>>,
        requires_grad: bool,
    ) -> Made {
        let grad = RefCell::new(None);
        if requires_grad {
            let zero = data.gpu().upload(&[0.0])?;
            grad.replace(Some(Tensor::new(zero, vec![], false)?));
        }
        Ok(Rc::new(Tensor { data, grad, parents }))
    }
}
// ANCHOR_END: step1-new

// ANCHOR: step1-launch
impl Tensor {
    fn launch(kernel: &Kernel, a: &Rc<Tensor>, b: &Rc<Tensor>) -> Made {
        let (gpu, n) = (a.data.gpu(), 1);
        let out = gpu.allocate(n)?;
        gpu.launch(kernel)
            .input(&a.data)
            .input(&b.data)
            .output(&out)
            .scalar(n as u32)
            .global(n)
            .local(256)
            .run()?;
        Tensor::new(out, vec![a.clone(), b.clone()], true)
    }
}
// ANCHOR_END: step1-launch

// ANCHOR: step1-backward
impl Tensor {
    fn local_backward(&self) -> Result<(), Error> {
        let [a, b] = &self.parents[..] else { return Ok(()) };
        a.gather(b.mul(&self.grad())?)?;
        b.gather(a.mul(&self.grad())?)
    }
}

impl Tensor {
    fn gather(&self, grad: Rc<Tensor>) -> Result<(), Error> {
        let sum = self.grad().add(&grad)?;
        self.grad.replace(Some(sum));
        Ok(())
    }

    // ANCHOR: step1-seed
    fn backward(self: &Rc<Tensor>) -> Result<(), Error> {
        let one = self.data.gpu().upload(&[1.0])?;
        self.grad.replace(Some(Tensor::new(one, vec![], true)?));
        for tensor in self.build_topo().iter().rev() {
            tensor.local_backward()?;
        }
        Ok(())
    }
    // ANCHOR_END: step1-seed
}
// ANCHOR_END: step1-backward

impl Tensor {
    fn mul(self: &Rc<Tensor>, other: &Rc<Tensor>) -> Made {
        Tensor::launch(&kernels::EW_MUL, self, other)
    }

    /// Used only by backward to add gradients. As in the notebook, addition
    /// has no backward rule.
    fn add(self: &Rc<Tensor>, other: &Rc<Tensor>) -> Made {
        Tensor::launch(&kernels::EW_ADD, self, other)
    }

    fn grad(&self) -> Rc<Tensor> {
        self.grad.borrow().clone().expect("backward was here")
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

    fn show(&self, indent: &str) -> Result<String, Error> {
        let data = shape::list(&self.data.read()?);
        let indent = format!("{indent}    ");
        let grad = match &*self.grad.borrow() {
            Some(grad) => format!("\n{indent}{}", grad.show(&indent)?),
            None => " none".to_string(),
        };
        Ok(format!("<Tensor with data: {data}, grad:{grad}>"))
    }
}

// ANCHOR: step1-main
fn main() -> ExitCode {
    rungrad::run(|| {
        let (done, cost) = ledger::measure(steps);
        done?;
        let left = cost.allocations - cost.frees;
        println!("after everything is dropped, {left} buffers remain");
        Ok(())
    })
}

fn steps() -> Result<(), Error> {
    let gpu = Gpu::first()?;
    let a = Tensor::new(gpu.upload(&[2.0, 3.0])?, vec![], true)?;
    let b = Tensor::new(gpu.upload(&[3.0, 4.0])?, vec![], true)?;
    println!("step    a.grad  history  launches  not freed");
    for step in 1..=3 {
        let (done, cost) = ledger::measure(|| a.mul(&b)?.mul(&b)?.backward());
        done?;
        let grad = shape::list(&a.grad().data.read()?);
        let below = a.grad().build_topo().len() - 1;
        let (launches, left) = (cost.launches, cost.allocations - cost.frees);
        println!("{step:4}  {grad:>8}  {below:>7}  {launches:>8}  {left:>9}");
    }
    println!("a: {}", a.show("")?);
    Ok(())
}
// ANCHOR_END: step1-main
