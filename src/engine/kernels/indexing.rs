//! The kernels of `kernels/engine/index.cl`: rows of a matrix by their indices.

use smallvec::smallvec;

use crate::opencl::{self, Kernel, counted};

/// Selects rows by their indices: arguments `a, offset, rows, width, places,
/// out, n`.
pub const INDEX_SELECT: Kernel =
    kernel!("engine/index.cl", "index_select", |given| {
        let (width, n) = (given.uint(3)?, given.uint(6)?);
        let all = given.uint(1)? + given.uint(2)? * width;
        Some(smallvec![all, n.div_ceil(counted(width)?), n])
    });

/// Sums the rows of each group: row `i` of the result is the sum of the rows
/// `order[starts[i]..starts[i + 1]]`. Arguments `a, offset, given, width,
/// starts, order, out, n`.
pub const INDEX_ADD: Kernel =
    kernel!("engine/index.cl", "index_add", |given| {
        let (rows, width) = (given.uint(2)?, given.uint(3)?);
        let n = given.uint(7)?;
        let all = given.uint(1)? + rows * width;
        Some(smallvec![all, n.div_ceil(counted(width)?) + 1, rows, n])
    });

/// Adds rows to the rows at sorted indices: arguments `a, offset, given,
/// width, places, out, n`.
pub const INDEX_ADD_SORTED: Kernel =
    kernel!("engine/index.cl", "index_add_sorted", |given| {
        let (rows, width) = (given.uint(2)?, given.uint(3)?);
        counted(width)?;
        let all = given.uint(1)? + rows * width;
        Some(smallvec![all, rows, given.uint(6)?])
    });
