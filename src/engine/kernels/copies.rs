//! The kernels of `kernels/engine/copy.cl`: copies from and to views.

use smallvec::smallvec;

use crate::opencl::{self, Kernel, view};

/// Copies the elements of a view.
pub const COPY_STRIDED: Kernel =
    kernel!("engine/copy.cl", "copy_strided", |args| {
        let (shape, strides) = (args.int8("shape")?, args.int8("strides")?);
        let reach = view(args.uint("offset")?, shape, strides)?;
        Some(smallvec![reach, args.uint("n")?])
    });

/// Copies the elements of a view by tiles.
pub const COPY_TILED: Kernel =
    kernel!("engine/copy.cl", "copy_tiled", |args| {
        let (shape, mut strides) = (args.int8("shape")?, args.int8("strides")?);
        strides[6] = 1;
        let reach = view(args.uint("offset")?, shape, strides)?;
        let mut outs = args.int8("outs")?;
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

/// Copies dense elements to a view.
pub const COPY_TO_STRIDED: Kernel =
    kernel!("engine/copy.cl", "copy_to_strided", |args| {
        let (shape, strides) = (args.int8("shape")?, args.int8("strides")?);
        let reach = view(args.uint("offset")?, shape, strides)?;
        Some(smallvec![args.uint("a_offset")? + args.uint("n")?, reach])
    });

/// Copies dense elements to a view that is given by an index for each element
/// of the output.
pub const COPY_INDEXED: Kernel =
    kernel!("engine/copy.cl", "copy_indexed", |args| {
        let n = args.uint("n")?;
        let all = args.uint("a_offset")? + args.uint("given")?;
        Some(smallvec![all, n, n])
    });
