//! Step 3: a `Function` ties an operation to its gradient, and `apply` decides
//! whether the result remembers it. The tutorial breaks off inside this class;
//! here it is complete, for the processor. Step 4 adds the second device.

use std::array::from_fn;
use std::cell::Cell;
use std::rc::Rc;

/// Two elements are enough to see what each rule does.
type Array = [f32; 2];

#[derive(Default)]
struct Tensor {
    data: Array,
    grad: Cell<Array>,
    requires_grad: bool,
    /// How `data` was computed, if a gradient needs to know.
    creator: Option<Creator>,
}

struct Creator {
    function: &'static dyn Function,
    ctx: Context,
    inputs: [Rc<Tensor>; 2],
}

// ANCHOR: step3-function
/// An operation: how to compute it, and how its gradient flows.
trait Function {
    fn forward(&self, ctx: &mut Context, x: Array, y: Array) -> Array;
    fn backward(&self, ctx: &Context, grad_out: Array) -> [Array; 2];
}

/// The arrays that `forward` saves for `backward`.
type Context = Vec<Array>;

struct Add;
struct Mul;

impl Function for Add {
    fn forward(&self, _: &mut Context, x: Array, y: Array) -> Array {
        from_fn(|i| x[i] + y[i])
    }

    fn backward(&self, _: &Context, grad_out: Array) -> [Array; 2] {
        [grad_out, grad_out]
    }
}

impl Function for Mul {
    fn forward(&self, ctx: &mut Context, x: Array, y: Array) -> Array {
        ctx.extend([x, y]);
        from_fn(|i| x[i] * y[i])
    }

    fn backward(&self, ctx: &Context, grad_out: Array) -> [Array; 2] {
        let [x, y] = [ctx[0], ctx[1]];
        [y, x].map(|other| from_fn(|i| grad_out[i] * other[i]))
    }
}

/// Runs a function. The result remembers the function, its context and its
/// inputs only if an input needs a gradient; otherwise they are dropped here.
fn apply(f: &'static dyn Function, inputs: [&Rc<Tensor>; 2]) -> Rc<Tensor> {
    let mut ctx = Context::new();
    let data = f.forward(&mut ctx, inputs[0].data, inputs[1].data);
    let requires_grad = inputs.iter().any(|input| input.requires_grad);
    let creator = Creator { function: f, ctx, inputs: inputs.map(Rc::clone) };
    let creator = requires_grad.then_some(creator);
    Rc::new(Tensor { data, requires_grad, creator, ..Tensor::default() })
}
// ANCHOR_END: step3-function

/// Passes on the part of the gradient that one path contributes. Part 3 visits
/// each node once instead, which is faster where paths meet.
fn backward(tensor: &Tensor, grad_out: Array) {
    if let Some(Creator { function, ctx, inputs }) = &tensor.creator {
        let grads = function.backward(ctx, grad_out);
        for (input, grad) in inputs.iter().zip(grads) {
            backward(input, grad);
        }
    } else if tensor.requires_grad {
        let sum = tensor.grad.get();
        tensor.grad.set(from_fn(|i| sum[i] + grad_out[i]));
    }
}

fn main() {
    let leaf = |data, requires_grad| {
        Rc::new(Tensor { data, requires_grad, ..Default::default() })
    };
    let [a, b] = [leaf([2.0, 3.0], true), leaf([3.0, 4.0], true)];
    let c = apply(&Mul, [&apply(&Mul, [&a, &b]), &b]);
    backward(&c, [1.0, 1.0]);
    println!("c = (a*b)*b = {:?}", c.data);
    println!("a.grad = {:?}, b.grad = {:?}", a.grad.get(), b.grad.get());
    assert_eq!(a.grad.get(), [9.0, 16.0], "the square of b");
    let sum = apply(&Add, [&leaf([2.0, 3.0], false); 2]);
    println!("a sum of constants remembers it: {}", sum.creator.is_some());
}
