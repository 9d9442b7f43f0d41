// device_mismatch: two operands on two devices.
//
// WHAT   Run an operation of two operands where both are on one device.
//        Where they are not, return `Error::Mistake` with one sentence: the
//        operation, both devices, and what to do about it.
// WHY    No kernel can read the memory of another device. An engine that
//        copied in silence would hide a copy in any line of a program; one
//        that only says no leaves you searching for the line and the tensor.
// READ   One tensor, two devices
// CHECK  cargo learn check device_mismatch

use rungrad::Error;
use rungrad::part3_unified::Tensor;

/// Returns the result of `run` on the two operands. `op` is the operation's
/// name.
pub fn on_one_device(
    op: &str,
    a: &Tensor,
    b: &Tensor,
    run: impl FnOnce(&Tensor, &Tensor) -> Tensor,
) -> Result<Tensor, Error> {
    // A device can be compared and printed, and the remedy is `.to(..)`.
    todo!("TODO(device_mismatch): run it, or say why not")
}
