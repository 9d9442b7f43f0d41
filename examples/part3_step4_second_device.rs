//! Step 4: a second device, and a gradient of a gradient. `forward` computes
//! with storages and `backward` with tensors. So one rule serves both devices,
//! and its result can be differentiated again. Every result remembers its
//! inputs, unlike in step 3. Part 3's engine adds shapes and real devices.

use std::cell::Cell;
use std::rc::Rc;

/// Elements in the memory of one device. The second device is simulated.
#[derive(Debug, PartialEq)]
enum Storage {
    Cpu([f32; 2]),
    Gpu([f32; 2]),
}

thread_local!(static LAUNCHES: Cell<usize> = const { Cell::new(0) });

fn binary(x: &Storage, y: &Storage, f: fn(f32, f32) -> f32) -> Storage {
    let run = |x: &[f32; 2], y: &[f32; 2]| [f(x[0], y[0]), f(x[1], y[1])];
    match (x, y) {
        (Storage::Cpu(x), Storage::Cpu(y)) => Storage::Cpu(run(x, y)),
        (Storage::Gpu(x), Storage::Gpu(y)) => {
            LAUNCHES.set(LAUNCHES.get() + 1);
            Storage::Gpu(run(x, y))
        }
        _ => panic!("operands on two devices; move one of them first"),
    }
}

#[derive(Clone)]
struct Tensor {
    storage: Rc<Storage>,
    creator: Option<Rc<(&'static dyn Function, Context)>>,
}

// ANCHOR: step4-function
/// The inputs, saved as tensors, which know how they were computed.
type Context = [Tensor; 2];

trait Function {
    fn forward(&self, x: &Storage, y: &Storage) -> Storage;
    fn backward(&self, ctx: &Context, grad_out: &Tensor) -> [Tensor; 2];
}

struct Add;
struct Mul;

impl Function for Add {
    fn forward(&self, x: &Storage, y: &Storage) -> Storage {
        binary(x, y, |x, y| x + y)
    }

    fn backward(&self, _: &Context, grad_out: &Tensor) -> [Tensor; 2] {
        [grad_out.clone(), grad_out.clone()]
    }
}

impl Function for Mul {
    fn forward(&self, x: &Storage, y: &Storage) -> Storage {
        binary(x, y, |x, y| x * y)
    }

    fn backward(&self, [x, y]: &Context, grad_out: &Tensor) -> [Tensor; 2] {
        [apply(&Mul, grad_out, y), apply(&Mul, grad_out, x)]
    }
}

/// Returns the gradient of `y` with respect to `x`: the sum over all paths.
fn gradient(y: &Tensor, x: &Tensor, grad_out: &Tensor) -> Option<Tensor> {
    if Rc::ptr_eq(&y.storage, &x.storage) {
        return Some(grad_out.clone());
    }
    let (function, ctx) = &**y.creator.as_ref()?;
    let paths = ctx.iter().zip(function.backward(ctx, grad_out));
    let paths = paths.filter_map(|(input, grad)| gradient(input, x, &grad));
    paths.reduce(|sum, grad| apply(&Add, &sum, &grad))
}
// ANCHOR_END: step4-function

fn apply(function: &'static dyn Function, x: &Tensor, y: &Tensor) -> Tensor {
    let storage = Rc::new(function.forward(&x.storage, &y.storage));
    let creator = Some(Rc::new((function, [x.clone(), y.clone()])));
    Tensor { storage, creator }
}

fn main() {
    let expected = [[8.0, 27.0], [12.0, 27.0], [12.0, 18.0], [6.0, 6.0]];
    println!("x*x*x at x = [2, 3], and its derivatives by order");
    for place in [Storage::Cpu as fn([f32; 2]) -> Storage, Storage::Gpu] {
        let leaf = |x| Tensor { storage: place(x).into(), creator: None };
        let [x, ones] = [leaf([2.0, 3.0]), leaf([1.0, 1.0])];
        let mut next = Some(apply(&Mul, &apply(&Mul, &x, &x), &x));
        for (order, expected) in expected.into_iter().enumerate() {
            let (y, launches) = (next.unwrap(), LAUNCHES.get());
            println!("{order}: {:?}, launches: {launches}", y.storage);
            assert_eq!(*y.storage, place(expected));
            next = gradient(&y, &x, &ones);
        }
    }
}
