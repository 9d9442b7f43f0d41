//! The kernels of `kernels/part3/index.cl`: rows of a matrix by their numbers.

use smallvec::smallvec;

use crate::opencl::{self, Kernel, counted};

/// Rows by their numbers: arguments `a, offset, rows, width, places, out, n`.
pub const INDEX_SELECT: Kernel =
    kernel!("part3/index.cl", "index_select", |given| {
        let (width, n) = (given.uint(3)?, given.uint(6)?);
        let all = given.uint(1)? + given.uint(2)? * width;
        Some(smallvec![all, n.div_ceil(counted(width)?), n])
    });

/// Rows added to their places: arguments `a, offset, given, width, starts,
/// order, out, n`.
pub const INDEX_ADD: Kernel = kernel!("part3/index.cl", "index_add", |given| {
    let (rows, width) = (given.uint(2)?, given.uint(3)?);
    let n = given.uint(7)?;
    let all = given.uint(1)? + rows * width;
    Some(smallvec![all, n.div_ceil(counted(width)?) + 1, rows, n])
});

/// The same where the places never go down: arguments `a, offset, given, width,
/// places, out, n`.
pub const INDEX_ADD_SORTED: Kernel =
    kernel!("part3/index.cl", "index_add_sorted", |given| {
        let (rows, width) = (given.uint(2)?, given.uint(3)?);
        counted(width)?;
        let all = given.uint(1)? + rows * width;
        Some(smallvec![all, rows, given.uint(6)?])
    });
