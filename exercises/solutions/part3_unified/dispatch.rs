// dispatch: three decisions in one place.
//
// WHAT   One function serves two operations on any device, recorded or not. It
//        rejects operands on different devices, lets the device compute, and
//        saves what backward will need.
// WHY    If every method made these decisions, there would be eight copies
//        that drift apart. Here they are made once, for every operation that
//        will ever be added.
// READ   Eight functions, one dispatch
// CHECK  cargo learn check dispatch

/// The operation to compute.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    Add,
    Mul,
}

/// The interface of a device.
pub trait Device {
    fn name(&self) -> &str;
    /// Returns `op` of each pair of elements.
    fn binary(&self, op: Op, a: &[f32], b: &[f32]) -> Vec<f32>;
}

/// Values on a device, and how they were computed if they are recorded.
pub struct Tensor<'d> {
    pub device: &'d dyn Device,
    pub numbers: Vec<f32>,
    pub requires_grad: bool,
    pub made: Option<Made>,
}

/// What backward needs: the operation, and the operands that its gradients
/// depend on. `saved[0]` is the first operand, `saved[1]` the second.
#[derive(Debug, PartialEq)]
pub struct Made {
    pub op: Op,
    pub saved: [Option<Vec<f32>>; 2],
}

/// Computes `op` of two tensors of equal length. An error is a sentence that
/// names both devices.
pub fn dispatch<'d>(
    op: Op,
    a: &Tensor<'d>,
    b: &Tensor<'d>,
) -> Result<Tensor<'d>, String> {
    // HOLE
    //| // Device: reject two different ones in a sentence with both names.
    //| // Operation: the device computes it with `binary`. Recording: one
    //| // operand that requires a gradient is enough. A sum saves nothing; a
    //| // product saves each operand that the gradient of the other one needs.
    //| todo!("TODO(dispatch): check the devices, compute, and record")
    if a.device.name() != b.device.name() {
        return Err(format!(
            "{op:?}: the operands are on two devices, {} and {}; move one",
            a.device.name(),
            b.device.name()
        ));
    }
    let numbers = a.device.binary(op, &a.numbers, &b.numbers);
    let requires_grad = a.requires_grad || b.requires_grad;
    let made = requires_grad.then(|| Made {
        op,
        saved: match op {
            Op::Add => [None, None],
            Op::Mul => [
                b.requires_grad.then(|| a.numbers.clone()),
                a.requires_grad.then(|| b.numbers.clone()),
            ],
        },
    });
    Ok(Tensor { device: a.device, numbers, requires_grad, made })
    // END HOLE
}
