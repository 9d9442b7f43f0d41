//! The kernels of `kernels/part3/softmax.cl`: the shares of scores in a row.

use smallvec::smallvec;

use super::teams;
use crate::opencl::{self, Given, Kernel, Reached};

/// The shares of scores in their rows, or their logarithms: arguments `a,
/// offset, columns, logs, out, n`. The offset is in whole fours.
pub const SOFTMAX_ROWS: Kernel =
    kernel!("part3/softmax.cl", "softmax_rows", shares);
/// The same of rows of whole fours, which a team keeps in its registers.
pub const SOFTMAX_FOURS: Kernel =
    kernel!("part3/softmax.cl", "softmax_fours", |given| {
        let columns = given.uint(2)?;
        let is_kept = columns <= KEPT as u64 * given.items(0);
        (is_kept && columns % 4 == 0).then(|| shares(given)).flatten()
    });

/// So many scores of a row an item can keep.
pub const KEPT: usize = 64;

/// What comes back through logarithms of shares: arguments `y, y_offset, grad,
/// grad_offset, columns, out, n`.
pub const SOFTMAX_GRADS: Kernel =
    kernel!("part3/softmax.cl", "softmax_grads", |given| {
        let all = elements(given, 4, 6)?;
        let from = |place| Some(given.uint(place)? + all);
        Some(smallvec![from(1)?, from(3)?, all])
    });

fn shares(given: &Given) -> Option<Reached> {
    (given.uint(1)? % 4 == 0).then_some(())?;
    let all = elements(given, 2, 5)?;
    Some(smallvec![given.uint(1)? + all, all])
}

/// Counts the elements of rows that teams have.
fn elements(given: &Given, columns: usize, n: usize) -> Option<u64> {
    teams(given)?;
    let (columns, n) = (given.uint(columns)?, given.uint(n)?);
    // A team counts beyond the end of a row, and a group beyond the last, even
    // where a row is empty.
    let all = columns.max(1).checked_mul(n).filter(|all| *all < 1 << 31)?;
    Some(if columns == 0 { 0 } else { all })
}
