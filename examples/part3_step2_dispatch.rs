//! Step 2: one dispatch by operation and device.
//!
//! The tutorial registers a single `dispatch` for all operators, and that
//! function is not told which operator was written. Here the operation is a
//! value that travels with the operands. Step 3 adds the gradient.

use std::cell::Cell;
use std::ops::{Add, Mul};

// ANCHOR: step2-dispatch
#[derive(Clone, Copy, Debug)]
enum Operation {
    Add,
    Mul,
}

/// The elements, in the memory of one of the two devices.
enum Tensor {
    Cpu(Vec<f32>),
    Gpu(Buffer),
}

fn dispatch(op: Operation, x: &Tensor, y: &Tensor) -> Result<Tensor, String> {
    match (x, y) {
        (Tensor::Cpu(x), Tensor::Cpu(y)) => Ok(Tensor::Cpu(on_cpu(op, x, y))),
        (Tensor::Gpu(x), Tensor::Gpu(y)) => Ok(Tensor::Gpu(on_gpu(op, x, y))),
        _ => Err(format!(
            "`{op:?}` got operands on two devices; move one of them first"
        )),
    }
}

/// Implements each operator with `dispatch`, as the tutorial does in a loop
/// with `setattr`.
macro_rules! operators {
    ($($Trait:ident $method:ident,)*) => {$(
        impl $Trait for &Tensor {
            type Output = Tensor;

            fn $method(self, other: &Tensor) -> Tensor {
                dispatch(Operation::$Trait, self, other).unwrap()
            }
        }
    )*};
}

operators! { Add add, Mul mul, }
// ANCHOR_END: step2-dispatch

fn on_cpu(op: Operation, x: &[f32], y: &[f32]) -> Vec<f32> {
    let pairs = x.iter().zip(y);
    match op {
        Operation::Add => pairs.map(|(x, y)| x + y).collect(),
        Operation::Mul => pairs.map(|(x, y)| x * y).collect(),
    }
}

/// Memory of the second device, which is simulated.
struct Buffer(Vec<f32>);

thread_local!(static LAUNCHES: Cell<usize> = const { Cell::new(0) });

/// Launches the kernel of the operation with one work-item per element.
fn on_gpu(op: Operation, x: &Buffer, y: &Buffer) -> Buffer {
    let kernel = match op {
        Operation::Add => |x: f32, y: f32| x + y,
        Operation::Mul => |x: f32, y: f32| x * y,
    };
    LAUNCHES.set(LAUNCHES.get() + 1);
    let work_item = |id: usize| kernel(x.0[id], y.0[id]);
    Buffer((0..x.0.len()).map(work_item).collect())
}

impl Tensor {
    fn elements(&self) -> &[f32] {
        match self {
            Tensor::Cpu(array) | Tensor::Gpu(Buffer(array)) => array,
        }
    }
}

fn main() {
    let [a, b] = [vec![2.0, 3.0], vec![3.0, 4.0]];
    let cpu = [Tensor::Cpu(a.clone()), Tensor::Cpu(b.clone())];
    let gpu = [Tensor::Gpu(Buffer(a)), Tensor::Gpu(Buffer(b))];
    println!("device  a + b       a * b        launches");
    for (device, [a, b]) in [("cpu", &cpu), ("gpu", &gpu)] {
        LAUNCHES.set(0);
        let [sum, product] = [a + b, a * b];
        let [sum, product] = [sum.elements(), product.elements()];
        println!("{device}     {sum:?}  {product:?}  {:8}", LAUNCHES.get());
        assert_eq!([sum, product], [[5.0, 7.0], [6.0, 12.0]], "on {device}");
    }
    let mixed = dispatch(Operation::Mul, &cpu[0], &gpu[1]);
    println!("a on cpu, b on gpu: {}", mixed.err().unwrap());
}
