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

fn shares(given: &Given) -> Option<Reached> {
    teams(given)?;
    (given.uint(1)? % 4 == 0).then_some(())?;
    let (columns, n) = (given.uint(2)?, given.uint(5)?);
    // A team counts beyond the end of a row, and a group beyond the last, even
    // where a row is empty.
    let all = columns.max(1).checked_mul(n).filter(|all| *all < 1 << 31)?;
    let all = if columns == 0 { 0 } else { all };
    Some(smallvec![given.uint(1)? + all, all])
}
