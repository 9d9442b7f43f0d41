// dispatch: three questions, asked once.
//
// WHAT   One function serves two operations on any device, recorded or not.
//        It refuses operands on two devices, hands the numbers to the device,
//        and keeps for the way back what will be asked for.
// WHY    Asked in every method, these questions are eight copies that drift
//        apart. Asked here, they are answered once for every operation that
//        anybody will ever add.
// CHECK  cargo learn check dispatch

/// What is to be computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Op {
    Add,
    Mul,
}

/// A device, as far as anybody needs to know it.
pub trait Device {
    fn name(&self) -> &str;
    /// Computes `op` of each pair of numbers.
    fn binary(&self, op: Op, a: &[f32], b: &[f32]) -> Vec<f32>;
}

/// Numbers on a device, and how they were made if somebody will ask.
pub struct Tensor<'d> {
    pub device: &'d dyn Device,
    pub numbers: Vec<f32>,
    pub requires_grad: bool,
    pub made: Option<Made>,
}

/// What the way back asks for: the operation, and the operands that its
/// gradients are made of. `saved[0]` is the first operand, `saved[1]` the
/// second.
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
}
