// device_mismatch: two operands on different devices.
//
// WHAT   Run an operation with two operands if both are on the same device.
//        Otherwise return `Error::Mistake` with one sentence that names the
//        operation and both devices and says what to do.
// WHY    No kernel can read the memory of another device. If an engine copied
//        silently, any line of a program could contain a hidden copy. If the
//        error does not name the devices, you have to search for the tensor.
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
    // Devices can be compared and printed, and the remedy is `.to(..)`.
    todo!("TODO(device_mismatch): run it, or return the error")
}
