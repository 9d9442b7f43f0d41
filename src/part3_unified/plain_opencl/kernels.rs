//! The kernels of the device `plain:0`: the files of `kernels/part3/`,
//! compiled into the crate.
//!
//! Each kernel has a *reach*, a function that computes from the arguments of a
//! launch how many elements of each buffer the kernel may access. A launch is
//! checked against it. [`Kernel`] explains why launches are therefore safe.

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

/// Returns the kernel of an operation. Arguments: `a, p, out, n`.
pub(super) const fn unary(op: Unary) -> Kernel {
    kernel!("part3/unary.cl", op.kernels()[0], |given| {
        let n = given.uint(3)?;
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
/// Returns the kernel of an operation. Arguments: `a, b, out, n`.
pub(super) const fn binary(op: Binary) -> Kernel {
    kernel!("part3/binary.cl", op.kernels()[0], |given| {
        let n = given.uint(3)?;
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

/// Arguments: `a, columns, out, rows`.
const fn reduce_kernel(name: &'static str) -> Kernel {
    kernel!("part3/reduce.cl", name, |given| {
        let rows = given.uint(3)?;
        Some(smallvec![product([rows, given.uint(1)?])?, rows])
    })
}

/// Arguments: `mask, a, b, out, n`.
pub(super) const WHERE_COND: Kernel =
    kernel!("part3/where_cond.cl", "plain_where_cond", |given| {
        let n = given.uint(4)?;
        Some(smallvec![n, n, n, n])
    });

/// Arguments: `shape, n, a, a_offset, a_strides, out, out_offset,
/// out_strides`. `n` is at most the number of elements of the shape, and the
/// view of `out` has no offset twice.
pub(super) const COPY: Kernel =
    kernel!("part3/copy.cl", "plain_copy", |given| {
        let shape = given.int8(0)?;
        let a = view(given.uint(3)?, shape, given.int8(4)?)?;
        let out = view(given.uint(6)?, shape, given.int8(7)?)?;
        Some(smallvec![a, out])
    });

/// Arguments: `a, b, out, batches, m, k, n`.
pub(super) const MATMUL: Kernel =
    kernel!("part3/matmul.cl", "plain_matmul", |given| {
        let (batches, m) = (given.uint(3)?, given.uint(4)?);
        let (k, n) = (given.uint(5)?, given.uint(6)?);
        Some(smallvec![
            product([batches, m, k])?,
            product([batches, k, n])?,
            product([batches, m, n])?
        ])
    });

/// Arguments: `a, rows, width, indices, count, out`.
pub(super) const INDEX_SELECT: Kernel =
    kernel!("part3/index.cl", "plain_index_select", |given| {
        let (rows, width) = (given.uint(1)?, given.uint(2)?);
        let count = given.uint(4)?;
        Some(smallvec![
            product([rows, width])?,
            count,
            product([count, width])?
        ])
    });

/// Arguments: `a, count, width, indices, rows, out`.
pub(super) const INDEX_ADD: Kernel =
    kernel!("part3/index.cl", "plain_index_add", |given| {
        let (count, width) = (given.uint(1)?, given.uint(2)?);
        let rows = given.uint(4)?;
        Some(smallvec![
            product([count, width])?,
            count,
            product([rows, width])?
        ])
    });

/// Arguments: `a, sizes, out, n`.
pub(super) const FOLD: Kernel =
    kernel!("part3/fold.cl", "plain_fold", |given| {
        let sizes = given.int8(1)?.map(|size| u64::try_from(size).ok());
        let [h, w, height, width, ..] = sizes;
        let windows = |axis: usize| {
            let [image, size, stride, dilation] =
                [0, 2, 4, 6].map(|first| sizes[first + axis]);
            let gaps = size?.checked_sub(1)? * dilation?;
            Some(image?.checked_sub(gaps + 1)?.checked_div(stride?)? + 1)
        };
        let n = given.uint(3)?;
        let images = n.div_ceil(product([h?, w?])?);
        let grid = [images, windows(0)?, windows(1)?, height?, width?];
        // The kernel computes its indices in `int`.
        let a = product(grid).filter(|&len| len <= i32::MAX as u64)?;
        Some(smallvec![a, n])
    });

/// Arguments: `out, seed_low, seed_high, n`.
pub(super) const UNIFORM: Kernel =
    kernel!("part3/uniform.cl", "plain_uniform", |given| {
        Some(smallvec![given.uint(3)?])
    });

const OTHERS: &[Kernel] =
    &[WHERE_COND, COPY, MATMUL, INDEX_SELECT, INDEX_ADD, FOLD, UNIFORM];
