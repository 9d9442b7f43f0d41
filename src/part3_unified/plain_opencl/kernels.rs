//! The kernels of the device `plain:0`: the files of `kernels/part3/`,
//! compiled into the crate.
//!
//! Each kernel has a *reach*, a function that computes from the arguments of a
//! launch how many elements of each buffer the kernel may access. A launch is
//! checked against it. `Kernel::new` states the promise that makes launches safe.

#![allow(unsafe_code)]

use smallvec::smallvec;

use super::super::{Binary, Reduce, Unary};
use crate::opencl::{Kernel, kernel, view};

/// Every kernel of this device.
pub fn all() -> impl Iterator<Item = &'static Kernel> {
    [&UNARY[..], &BINARY, REDUCE, OTHERS].into_iter().flatten()
}

/// Returns the product of some sizes. `None` if it does not fit a `uint`, in
/// which a kernel computes its indices.
fn product<const N: usize>(sizes: [u64; N]) -> Option<u64> {
    let product = sizes.into_iter().try_fold(1, u64::checked_mul)?;
    (product <= u32::MAX.into()).then_some(product)
}

const UNARY: [Kernel; Unary::ALL.len()] = {
    let mut kernels = [UNIFORM; Unary::ALL.len()];
    let mut i = 0;
    while i < kernels.len() {
        kernels[i] = unary(Unary::ALL[i]);
        i += 1;
    }
    kernels
};

/// Returns the kernel of an operation, such as `plain_mul`.
pub(super) const fn unary(op: Unary) -> Kernel {
    kernel!("part3/unary.cl", op.plain_kernel(), |args| {
        let n = args.uint("n")?;
        Some(smallvec![n, n])
    })
}

const BINARY: [Kernel; Binary::ALL.len()] = {
    let mut kernels = [UNIFORM; Binary::ALL.len()];
    let mut i = 0;
    while i < kernels.len() {
        kernels[i] = binary(Binary::ALL[i]);
        i += 1;
    }
    kernels
};

// ANCHOR: binary
/// Returns the kernel of an operation, such as `plain_mul`.
pub(super) const fn binary(op: Binary) -> Kernel {
    kernel!("part3/binary.cl", op.plain_kernel(), |args| {
        let n = args.uint("n")?;
        Some(smallvec![n, n, n])
    })
}
// ANCHOR_END: binary

/// Returns the kernel of a reduction.
pub(super) fn reduce(op: Reduce) -> Kernel {
    REDUCE[op as usize]
}

/// In the order of [`Reduce`].
const REDUCE: &[Kernel] =
    &[reduce_kernel("plain_sum"), reduce_kernel("plain_max")];

const fn reduce_kernel(name: &'static str) -> Kernel {
    kernel!("part3/reduce.cl", name, |args| {
        let rows = args.uint("rows")?;
        Some(smallvec![product([rows, args.uint("columns")?])?, rows])
    })
}

pub(super) const WHERE_COND: Kernel =
    kernel!("part3/where_cond.cl", "plain_where_cond", |args| {
        let n = args.uint("n")?;
        Some(smallvec![n, n, n, n])
    });

/// `n` is at most the number of elements of the shape, and the view of `out`
/// has no offset twice.
pub(super) const COPY: Kernel =
    kernel!("part3/copy.cl", "plain_copy", |args| {
        let shape = args.int8("shape")?;
        let a = view(args.uint("a_offset")?, shape, args.int8("a_strides")?)?;
        let out =
            view(args.uint("out_offset")?, shape, args.int8("out_strides")?)?;
        Some(smallvec![a, out])
    });

pub(super) const MATMUL: Kernel =
    kernel!("part3/matmul.cl", "plain_matmul", |args| {
        let (batches, m) = (args.uint("batches")?, args.uint("m")?);
        let (k, n) = (args.uint("k")?, args.uint("n")?);
        Some(smallvec![
            product([batches, m, k])?,
            product([batches, k, n])?,
            product([batches, m, n])?
        ])
    });

pub(super) const INDEX_SELECT: Kernel =
    kernel!("part3/index.cl", "plain_index_select", |args| {
        let (rows, width) = (args.uint("rows")?, args.uint("width")?);
        let count = args.uint("count")?;
        Some(smallvec![
            product([rows, width])?,
            count,
            product([count, width])?
        ])
    });

pub(super) const INDEX_ADD: Kernel =
    kernel!("part3/index.cl", "plain_index_add", |args| {
        let (count, width) = (args.uint("count")?, args.uint("width")?);
        let rows = args.uint("rows")?;
        Some(smallvec![
            product([count, width])?,
            count,
            product([rows, width])?
        ])
    });

pub(super) const FOLD: Kernel =
    kernel!("part3/fold.cl", "plain_fold", |args| {
        let sizes = args.int8("sizes")?.map(|size| u64::try_from(size).ok());
        let [h, w, height, width, ..] = sizes;
        let windows = |axis: usize| {
            let [image, size, stride, dilation] =
                [0, 2, 4, 6].map(|first| sizes[first + axis]);
            let gaps = size?.checked_sub(1)? * dilation?;
            Some(image?.checked_sub(gaps + 1)?.checked_div(stride?)? + 1)
        };
        let n = args.uint("n")?;
        let images = n.div_ceil(product([h?, w?])?);
        let grid = [images, windows(0)?, windows(1)?, height?, width?];
        // The kernel computes its indices in `int`.
        let a = product(grid).filter(|&len| len <= i32::MAX as u64)?;
        Some(smallvec![a, n])
    });

pub(super) const UNIFORM: Kernel =
    kernel!("part3/uniform.cl", "plain_uniform", |args| {
        Some(smallvec![args.uint("n")?])
    });

const OTHERS: &[Kernel] =
    &[WHERE_COND, COPY, MATMUL, INDEX_SELECT, INDEX_ADD, FOLD, UNIFORM];
