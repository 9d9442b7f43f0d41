// No device is named.

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
    if a.device() == b.device() {
        return Ok(run(a, b));
    }
    Err(Error::Mistake(format!(
        "{op}: the operands are on two devices; move one with .to(..)"
    )))
}
