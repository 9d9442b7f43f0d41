//! The kernels of `kernels/engine/index.cl`: rows of a matrix by their indices.

use smallvec::smallvec;

use crate::opencl::{self, Kernel, counted};

/// Selects rows by their indices.
pub const INDEX_SELECT: Kernel =
    kernel!("engine/index.cl", "index_select", |args| {
        let (width, n) = (args.uint("width")?, args.uint("n")?);
        let all = args.uint("offset")? + args.uint("rows")? * width;
        Some(smallvec![all, n.div_ceil(counted(width)?), n])
    });

/// Sums the rows of each group: row `i` of the result is the sum of the rows
/// `order[starts[i]..starts[i + 1]]`.
pub const INDEX_ADD: Kernel = kernel!("engine/index.cl", "index_add", |args| {
    let (rows, width) = (args.uint("given")?, args.uint("width")?);
    let n = args.uint("n")?;
    let all = args.uint("offset")? + rows * width;
    Some(smallvec![all, n.div_ceil(counted(width)?) + 1, rows, n])
});

/// Adds rows to the rows at sorted indices.
pub const INDEX_ADD_SORTED: Kernel =
    kernel!("engine/index.cl", "index_add_sorted", |args| {
        let (rows, width) = (args.uint("given")?, args.uint("width")?);
        counted(width)?;
        let all = args.uint("offset")? + rows * width;
        Some(smallvec![all, rows, args.uint("n")?])
    });
