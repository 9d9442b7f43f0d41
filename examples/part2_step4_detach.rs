//! Step 4: the backward rule works on detached operands, so no graph is
//! recorded inside it.

use std::cell::RefCell;
use std::process::ExitCode;
use std::rc::Rc;

use rungrad::opencl::{Buffer, Gpu, Kernel};
use rungrad::part2_gpu::kernels;
use rungrad::{Error, ledger, shape};

// ANCHOR: step4-new
struct Tensor {
    data: Rc<Buffer<f32>>,
    shape: Vec<usize>,
    requires_grad: bool,
    grad: RefCell<Option<Rc<Tensor>>>,
    parents: Vec<Rc<Tensor>>,
}

type Made = Result<Rc<Tensor>, Error>;

impl Tensor {
    fn new(
        gpu: &Gpu,
        shape: &[usize],
        values: &[f32],
        requires_grad: bool,
    ) -> Made {
        let size: usize = shape.iter().product();
        assert_eq!(size, values.len(), "values for shape {shape:?}");
        let data = Rc::new(gpu.upload(values)?);
        Ok(Tensor::wrap(data, shape, vec![], requires_grad))
    }

    fn wrap(
        data: Rc<Buffer<f32>>,
        shape: &[usize],
        parents: Vec<Rc<Tensor>>,
        requires_grad: bool,
    ) -> Rc<Tensor> {
        let (shape, grad) = (shape.to_vec(), RefCell::new(None));
        Rc::new(Tensor { data, shape, requires_grad, grad, parents })
    }

    fn detach(&self) -> Rc<Tensor> {
        Tensor::wrap(self.data.clone(), &self.shape, vec![], false)
    }
}
// ANCHOR_END: step4-new

impl Tensor {
    fn launch(kernel: &Kernel, a: &Rc<Tensor>, b: &Rc<Tensor>) -> Made {
        let (gpu, n) = (a.data.gpu(), a.data.len());
        let out = gpu.allocate(n)?;
        gpu.launch(kernel)
            .input(&a.data)
            .input(&b.data)
            .output(&out)
            .scalar(n as u32)
            .global(n)
            .local(256)
            .run()?;
        let requires_grad = a.requires_grad || b.requires_grad;
        let parents = match requires_grad {
            true => vec![a.clone(), b.clone()],
            false => vec![],
        };
        Ok(Tensor::wrap(Rc::new(out), &a.shape, parents, requires_grad))
    }
}

// ANCHOR: step4-rule
impl Tensor {
    fn local_backward(&self) -> Result<(), Error> {
        let [a, b] = &self.parents[..] else { return Ok(()) };
        if a.requires_grad {
            a.gather(b.detach().mul(&self.grad())?)?;
        }
        if b.requires_grad {
            b.gather(a.detach().mul(&self.grad())?)?;
        }
        Ok(())
    }
}
// ANCHOR_END: step4-rule

impl Tensor {
    fn gather(&self, grad: Rc<Tensor>) -> Result<(), Error> {
        let sum = match self.grad.take() {
            Some(sum) => sum.add(&grad)?,
            None => grad,
        };
        self.grad.replace(Some(sum));
        Ok(())
    }

    fn backward(self: &Rc<Tensor>) -> Result<(), Error> {
        let ones = vec![1.0; self.data.len()];
        let ones = Tensor::new(self.data.gpu(), &self.shape, &ones, false)?;
        self.grad.replace(Some(ones));
        for tensor in self.build_topo().iter().rev() {
            tensor.local_backward()?;
        }
        Ok(())
    }
}

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
}

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
    let a = Tensor::new(&gpu, &[2], &[2.0, 3.0], true)?;
    let b = Tensor::new(&gpu, &[2], &[3.0, 4.0], true)?;
    println!("step    a.grad  history  launches  not freed");
    for step in 1..=3 {
        let (done, cost) = ledger::measure(|| a.mul(&b)?.mul(&b)?.backward());
        done?;
        let grad = shape::list(&a.grad().data.read()?);
        let below = a.grad().build_topo().len() - 1;
        let (launches, left) = (cost.launches, cost.allocations - cost.frees);
        println!("{step:4}  {grad:>8}  {below:>7}  {launches:>8}  {left:>9}");
    }
    println!("a.grad requires a gradient: {}", a.grad().requires_grad);
    Ok(())
}
