//! The kernels of `kernels/engine/copy.cl`: copies from and to views.

use smallvec::smallvec;

use crate::opencl::{self, Kernel, view};

/// Copies the elements of a view: arguments `a, offset, shape, strides, out,
/// n`.
pub const COPY_STRIDED: Kernel =
    kernel!("engine/copy.cl", "copy_strided", |given| {
        let reach = view(given.uint(1)?, given.int8(2)?, given.int8(3)?)?;
        Some(smallvec![reach, given.uint(5)?])
    });

/// Copies the elements of a view by tiles: arguments `a, offset, shape,
/// strides, out, outs`.
pub const COPY_TILED: Kernel =
    kernel!("engine/copy.cl", "copy_tiled", |given| {
        let (shape, mut strides) = (given.int8(2)?, given.int8(3)?);
        strides[6] = 1;
        let reach = view(given.uint(1)?, shape, strides)?;
        let mut outs = given.int8(5)?;
        outs[7] = 1;
        Some(smallvec![reach, dense_len(shape, outs)?])
    });

/// Returns the number of elements of an output with these strides, or `None`
/// unless it is dense, with its axes in any order: each offset must be written
/// exactly once.
pub(super) fn dense_len(shape: [i128; 8], outs: [i128; 8]) -> Option<u64> {
    let axes = shape.into_iter().zip(outs);
    let mut axes: Vec<_> = axes.filter(|axis| axis.0 != 1).collect();
    axes.sort_by_key(|axis| axis.1);
    let n = axes.into_iter().try_fold(1, |n, (size, stride)| {
        (stride == n).then(|| n * size).filter(|n| *n < 1 << 31)
    })?;
    Some(n as u64)
}

/// Copies dense elements to a view: arguments `a, a_offset, out, offset,
/// shape, strides, n`.
pub const COPY_TO_STRIDED: Kernel =
    kernel!("engine/copy.cl", "copy_to_strided", |given| {
        let reach = view(given.uint(3)?, given.int8(4)?, given.int8(5)?)?;
        Some(smallvec![given.uint(1)? + given.uint(6)?, reach])
    });

/// Copies dense elements to a view that is given by an index for each element
/// of the output: arguments `a, a_offset, given, places, out, n`.
pub const COPY_INDEXED: Kernel =
    kernel!("engine/copy.cl", "copy_indexed", |given| {
        let n = given.uint(5)?;
        Some(smallvec![given.uint(1)? + given.uint(2)?, n, n])
    });
