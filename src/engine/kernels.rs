//! The kernels of the engine, for arrays with an offset and for strided views: the
//! files of `kernels/engine/`, compiled into the crate.
//!
//! Each kernel has a *reach*, a function that computes from the arguments of a
//! launch how many elements of each buffer the kernel may access. A launch is
//! checked against it. `Kernel::new` states the promise that makes launches safe.

#![allow(unsafe_code)]

use smallvec::smallvec;

use crate::opencl::{self, Kernel, LaunchArgs, Reached, counted, view};
use crate::part3_unified::{Binary, Reduce, Unary};

/// A kernel of a file under `kernels/`, compiled for `f32`; [`typed`] changes
/// the type.
macro_rules! kernel {
    ($file:literal, $name:expr, $reach:expr) => {
        kernel!($file, $name, $reach, [])
    };
    ($file:literal, $name:expr, $reach:expr, [$($option:expr),*]) => {{
        let kernel = opencl::kernel!(
            $file,
            include_str!(concat!(
                env!("CARGO_MANIFEST_DIR"),
                "/kernels/numbers.cl"
            )),
            $name,
            $reach
        );
        // SAFETY: the files guard each access by the number of elements, for
        // any options and types.
        unsafe {
            kernel
                .with_options(concat!($($option),*))
                .with_types($crate::engine::kernels::types::F32)
        }
    }};
}

mod adam;
mod copies;
mod indexing;
mod products;
mod reductions;
mod softmax;
mod transformer;
mod types;

pub use adam::ADAM;
use copies::dense_len;
pub use copies::{COPY_INDEXED, COPY_STRIDED, COPY_TILED, COPY_TO_STRIDED};
pub use indexing::{INDEX_ADD, INDEX_ADD_SORTED, INDEX_SELECT};
pub use products::{
    COPY_LINES, FEW_ROWS, Layout, PRODUCT_FEW_ROWS, PRODUCT_LONG_SUMS, TILES,
    Tiles,
};
pub use reductions::*;
pub use softmax::{KEPT, SOFTMAX_FOURS, SOFTMAX_GRADS, SOFTMAX_ROWS};
pub use transformer::*;
pub(super) use types::{Types, typed};

/// Returns every kernel of the engine.
pub fn all() -> impl Iterator<Item = &'static Kernel> {
    let products = TILES.iter().map(|tiles| tiles.kernels);
    [
        &UNARY,
        BINARY.as_flattened(),
        OTHERS,
        ADAM,
        REDUCE_SUMS,
        transformer::ALL,
        &PRODUCT_FEW_ROWS,
        &[PRODUCT_LONG_SUMS, COPY_LINES],
    ]
    .into_iter()
    .chain(products)
    .flatten()
}

const UNARY: [Kernel; Unary::ALL.len()] = {
    let mut kernels = [GELU_GRADS; Unary::ALL.len()];
    let mut i = 0;
    while i < kernels.len() {
        kernels[i] = unary(Unary::ALL[i]);
        i += 1;
    }
    kernels
};

/// Returns the kernel of an operation.
pub(super) const fn unary(op: Unary) -> Kernel {
    let [_, name] = op.kernels();
    kernel!("engine/elementwise.cl", name, one_operand)
}

/// Returns the unary operation that a kernel computes, with this constant if
/// it takes one.
pub fn operation(kernel: &Kernel, number: f64) -> Option<Unary> {
    let mut all = Unary::ALL.iter();
    let op = all.find(|op| op.kernels().contains(&kernel.name()))?;
    Some(op.with_constant(number))
}

/// The reach of `out[i] = f(a[i])`.
fn one_operand(args: &LaunchArgs) -> Option<Reached> {
    let n = args.uint("n")?;
    Some(smallvec![args.uint("a_offset")? + n, n])
}

const BINARY: [[Kernel; 2]; Binary::ALL.len()] = {
    let mut kernels = [[GELU_GRADS; 2]; Binary::ALL.len()];
    let mut i = 0;
    while i < kernels.len() {
        kernels[i] = binary(Binary::ALL[i]);
        i += 1;
    }
    kernels
};

/// Returns the kernels of an operation: one for dense operands, and one for
/// operands with any strides.
pub(super) const fn binary(op: Binary) -> [Kernel; 2] {
    let [_, dense, any] = op.kernels();
    [
        kernel!("engine/elementwise.cl", dense, two_operands),
        kernel!("engine/elementwise.cl", any, strided),
    ]
}

/// The reach of `out[i] = f(a[i], b[i])`.
fn two_operands(args: &LaunchArgs) -> Option<Reached> {
    let n = args.uint("n")?;
    let [a, b] = ["a_offset", "b_offset"].map(|name| args.uint(name));
    Some(smallvec![a? + n, b? + n, n])
}

/// The reach of the same for strided operands.
fn strided(args: &LaunchArgs) -> Option<Reached> {
    let shape = args.int8("shape")?;
    let a = view(args.uint("a_offset")?, shape, args.int8("a_strides")?)?;
    let b = view(args.uint("b_offset")?, shape, args.int8("b_strides")?)?;
    Some(smallvec![a, b, args.uint("n")?])
}

/// The gradient of GELU: its derivative at the first operand, times the
/// second.
pub const GELU_GRADS: Kernel =
    kernel!("engine/elementwise.cl", "binary_gelu_grads", two_operands);

/// Selects elements of `a` or `b` by a mask.
pub const WHERE_COND: Kernel =
    kernel!("engine/where.cl", "where_cond", |args| {
        let n = args.uint("n")?;
        let offsets = ["mask_offset", "a_offset", "b_offset"];
        let [mask, a, b] = offsets.map(|name| args.uint(name));
        Some(smallvec![mask? + n, a? + n, b? + n, n])
    });

/// Checks that a launch has a row group for each row: a power of two of items,
/// in work-groups of at most 256 items.
fn row_groups(args: &LaunchArgs) -> Option<()> {
    let (team, rows) = (args.items(0), args.items(1));
    (team.is_power_of_two() && team * rows <= 256 && args.items(2) == 1)
        .then_some(())
}

/// A batch of products of a matrix and a column.
pub const PRODUCT_VECTOR: Kernel =
    kernel!("engine/vector.cl", "product_vector", by_vector);
/// The same with `float4` loads: contiguous operands whose strides, offsets
/// and sizes are multiples of four.
pub const PRODUCT_VECTOR_FOURS: Kernel =
    kernel!("engine/vector.cl", "product_vector_fours", |args| {
        let [batch, row, one, b_batch, b_one, _, length, _] =
            args.int8("strides")?;
        let sizes = ["a_offset", "b_offset", "k"].map(|name| args.uint(name));
        let sizes = sizes.into_iter().map(|size| size.map(i128::from));
        let steps = [batch, row, b_batch, length].map(Some);
        let fours = |value: Option<i128>| value.is_some_and(|n| n % 4 == 0);
        (one == 1 && b_one == 1 && sizes.chain(steps).all(fours))
            .then(|| by_vector(args))
            .flatten()
    });

fn by_vector(args: &LaunchArgs) -> Option<Reached> {
    row_groups(args)?;
    let (m, k) = (args.uint("m")?, args.uint("k")?);
    (m < 1 << 30 && k < 1 << 30).then_some(())?;
    let strides = args.int8("strides")?;
    let [batch, length] = [5, 6].map(|at| u64::try_from(strides[at]).ok());
    let (batch, length) = (batch?, counted(length?)?);
    let reach = |offset, axes: [(u64, i128); 3]| {
        let (mut shape, mut steps) = ([1; 8], [0; 8]);
        for (at, (size, step)) in axes.into_iter().enumerate() {
            (shape[at], steps[at]) = (size.into(), step);
        }
        view(offset, shape, steps)
    };
    let of_a = [(batch, strides[0]), (m, strides[1]), (k, strides[2])];
    let of_b = [(batch, strides[3]), (k, strides[4]), (1, 0)];
    let parts = k.div_ceil(length);
    let out = batch.checked_mul(m)?.checked_mul(parts)?;
    (out < 1 << 31).then_some(())?;
    let (a, b) = (args.uint("a_offset")?, args.uint("b_offset")?);
    Some(smallvec![reach(a, of_a)?, reach(b, of_b)?, out])
}

/// Adds windows into images.
pub const FOLD_WINDOWS: Kernel =
    kernel!("engine/fold.cl", "fold_windows", |args| {
        let (strides, sizes) = (args.int8("strides")?, args.int8("sizes")?);
        if sizes.iter().any(|&size| size < 1) {
            return None;
        }
        let [h, w, height, width, down, right, v, u] =
            sizes.map(|size| size as u64);
        let places = |image: u64, size, stride, dilation| {
            let rest = image.checked_sub((size - 1) * dilation + 1)?;
            Some(rest / stride + 1)
        };
        let rows = places(h, height, down, v)?;
        let columns = places(w, width, right, u)?;
        let n = args.uint("n")?;
        let windows = [n.div_ceil(h * w), rows, columns, height, width];
        let mut shape = [1; 8];
        for (size, window) in shape.iter_mut().zip(windows) {
            *size = i128::from(window.max(1));
        }
        Some(smallvec![view(args.uint("offset")?, shape, strides)?, n])
    });

/// The first values of the random sequence of a seed.
pub const FILL_UNIFORM: Kernel =
    kernel!("engine/fill.cl", "fill_uniform", |args| {
        Some(smallvec![args.uint("n")?])
    });

const OTHERS: &[Kernel] = &[
    WHERE_COND,
    COPY_STRIDED,
    COPY_TO_STRIDED,
    COPY_INDEXED,
    REDUCE_ROWS_SUM,
    REDUCE_ROWS_MAX,
    REDUCE_COLUMNS_SUM,
    REDUCE_COLUMNS_MAX,
    REDUCE_SHORT_SUM,
    REDUCE_SHORT_MAX,
    REDUCE_FEW_SUM,
    REDUCE_FEW_MAX,
    REDUCE_FEW_SHARE,
    COPY_TILED,
    SOFTMAX_ROWS,
    SOFTMAX_FOURS,
    SOFTMAX_GRADS,
    GELU_GRADS,
    PRODUCT_VECTOR,
    PRODUCT_VECTOR_FOURS,
    INDEX_SELECT,
    INDEX_ADD,
    INDEX_ADD_SORTED,
    FOLD_WINDOWS,
    FILL_UNIFORM,
];
