//! The kernels of Part 3, for arrays with an offset and for strided views: the
//! files of `kernels/engine/`, compiled into the crate.
//!
//! Each kernel has a *reach*, a function that computes from the arguments of a
//! launch how many elements of each buffer the kernel may access. A launch is
//! checked against it. [`Kernel`] explains why launches are therefore safe.

#![allow(unsafe_code)]

use smallvec::smallvec;

use crate::opencl::{self, Given, Kernel, Reached, counted, view};
use crate::part3_unified::{Binary, Reduce, Unary};

/// A kernel of a file under `kernels/`, compiled for `f32`; [`typed`] changes
/// the type.
macro_rules! kernel {
    ($file:literal, $name:expr, $reach:expr) => {
        kernel!($file, $name, $reach, [])
    };
    ($file:literal, $name:expr, $reach:expr, [$($option:expr),*]) => {{
        const KERNEL: Kernel = opencl::kernel!(
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
            KERNEL
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

/// Returns every kernel of Part 3.
pub fn all() -> impl Iterator<Item = &'static Kernel> {
    let products = TILES.iter().map(|tiles| tiles.kernels);
    [
        UNARY,
        BINARY,
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

/// The unary operations with the names of their kernels.
macro_rules! unary {
    ($($op:ident $(($number:ident))? $name:literal,)*) => {
        const UNARY: &[Kernel] = &[$(unary!(@kernel $name)),*];

        /// Returns the kernel of an operation, and its constant, or 0 if it
        /// has none.
        pub(super) fn unary(op: Unary) -> (Kernel, f64) {
            match op {$(
                Unary::$op $(($number))? => {
                    (unary!(@kernel $name), unary!(@number $($number)?))
                }
            )*}
        }

        /// Returns the operation that a kernel computes, with this constant if
        /// it takes one.
        pub fn operation(kernel: &Kernel, number: f64) -> Option<Unary> {
            match kernel.name() {
                $($name => Some(unary!(@op $op number $($number)?)),)*
                _ => None,
            }
        }
    };
    (@op $op:ident $given:ident) => { Unary::$op };
    (@op $op:ident $given:ident $number:ident) => { Unary::$op($given) };
    (@kernel $name:literal) => {
        kernel!("engine/elementwise.cl", $name, one_operand)
    };
    (@number) => { 0.0 };
    (@number $number:ident) => { $number };
}

unary! {
    Scale(number) "unary_scale",
    Shift(number) "unary_shift",
    DivScalar(number) "unary_div_scalar",
    RdivScalar(number) "unary_rdiv_scalar",
    Sqrt "unary_sqrt",
    Square "unary_square",
    Cube "unary_cube",
    Pow(number) "unary_pow",
    Exp "unary_exp",
    Log "unary_log",
    Relu "unary_relu",
    Tanh "unary_tanh",
    Sigmoid "unary_sigmoid",
    Sin "unary_sin",
    Cos "unary_cos",
    Erf "unary_erf",
    Gelu "unary_gelu",
    GeluSlope "unary_gelu_slope",
    Log1p "unary_log1p",
    Floor "unary_floor",
    Round "unary_round",
    Sign "unary_sign",
}

/// The reach of `out[i] = f(a[i])`: arguments `a, a_offset, p, out, n`.
fn one_operand(given: &Given) -> Option<Reached> {
    let n = given.uint(4)?;
    Some(smallvec![given.uint(1)? + n, n])
}

// ANCHOR: binary
/// The binary operations. Each has two kernels: one for dense operands, and
/// one for operands with any strides.
macro_rules! binary {
    ($($op:ident $dense:literal $strided:literal,)*) => {
        const BINARY: &[Kernel] = &[$(
            kernel!("engine/elementwise.cl", $dense, two_operands),
            kernel!("engine/elementwise.cl", $strided, strided),
        )*];

        /// Returns the kernels of an operation.
        pub(super) fn binary(op: Binary) -> [Kernel; 2] {
            match op {$(Binary::$op => [
                kernel!("engine/elementwise.cl", $dense, two_operands),
                kernel!("engine/elementwise.cl", $strided, strided),
            ],)*}
        }
    };
}

binary! {
    Add "binary_add" "strided_add",
    Mul "binary_mul" "strided_mul",
    Div "binary_div" "strided_div",
    Lt "binary_lt" "strided_lt",
    Le "binary_le" "strided_le",
    Eq "binary_eq" "strided_eq",
    Pow "binary_pow" "strided_pow",
}
// ANCHOR_END: binary

/// The reach of `out[i] = f(a[i], b[i])`: arguments
/// `a, a_offset, b, b_offset, out, n`.
fn two_operands(given: &Given) -> Option<Reached> {
    let n = given.uint(5)?;
    Some(smallvec![given.uint(1)? + n, given.uint(3)? + n, n])
}

/// The reach of the same for strided operands: arguments `a, a_offset,
/// a_strides, b, b_offset, b_strides, shape, out, n`.
fn strided(given: &Given) -> Option<Reached> {
    let shape = given.int8(6)?;
    let a = view(given.uint(1)?, shape, given.int8(2)?)?;
    let b = view(given.uint(4)?, shape, given.int8(5)?)?;
    Some(smallvec![a, b, given.uint(8)?])
}

/// The gradient of GELU: its derivative at the first operand, times the
/// second.
pub const GELU_GRADS: Kernel =
    kernel!("engine/elementwise.cl", "binary_gelu_grads", two_operands);

/// Selects elements of `a` or `b` by a mask: arguments `mask, mask_offset,
/// a, a_offset, b, b_offset, out, n`.
pub const WHERE_COND: Kernel =
    kernel!("engine/where.cl", "where_cond", |given| {
        let n = given.uint(7)?;
        let from = |place| Some(given.uint(place)? + n);
        Some(smallvec![from(1)?, from(3)?, from(5)?, n])
    });

/// Checks that a launch has a row group for each row: a power of two of items,
/// in work-groups of at most 256 items.
fn row_groups(given: &Given) -> Option<()> {
    let (team, rows) = (given.items(0), given.items(1));
    (team.is_power_of_two() && team * rows <= 256 && given.items(2) == 1)
        .then_some(())
}

/// A batch of products of a matrix and a column: arguments `a, a_offset, b,
/// b_offset, strides, out, m, k`.
pub const PRODUCT_VECTOR: Kernel =
    kernel!("engine/vector.cl", "product_vector", by_vector);
/// The same with `float4` loads: contiguous operands whose strides, offsets
/// and sizes are multiples of four.
pub const PRODUCT_VECTOR_FOURS: Kernel =
    kernel!("engine/vector.cl", "product_vector_fours", |given| {
        let [batch, row, one, b_batch, b_one, _, length, _] = given.int8(4)?;
        let sizes = [1, 3, 7].map(|at| given.uint(at));
        let sizes = sizes.into_iter().map(|size| size.map(i128::from));
        let steps = [batch, row, b_batch, length].map(Some);
        let fours = |value: Option<i128>| value.is_some_and(|n| n % 4 == 0);
        (one == 1 && b_one == 1 && sizes.chain(steps).all(fours))
            .then(|| by_vector(given))
            .flatten()
    });

fn by_vector(given: &Given) -> Option<Reached> {
    row_groups(given)?;
    let (m, k) = (given.uint(6)?, given.uint(7)?);
    (m < 1 << 30 && k < 1 << 30).then_some(())?;
    let strides = given.int8(4)?;
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
    let (a, b) = (given.uint(1)?, given.uint(3)?);
    Some(smallvec![reach(a, of_a)?, reach(b, of_b)?, out])
}

/// Adds windows into images: arguments `a, offset, strides, sizes, out, n`.
pub const FOLD_WINDOWS: Kernel =
    kernel!("engine/fold.cl", "fold_windows", |given| {
        let (strides, sizes) = (given.int8(2)?, given.int8(3)?);
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
        let n = given.uint(5)?;
        let windows = [n.div_ceil(h * w), rows, columns, height, width];
        let mut shape = [1; 8];
        for (size, window) in shape.iter_mut().zip(windows) {
            *size = i128::from(window.max(1));
        }
        Some(smallvec![view(given.uint(1)?, shape, strides)?, n])
    });

/// The first values of the random sequence of a seed: arguments `out,
/// seed_low, seed_high, n`.
pub const FILL_UNIFORM: Kernel =
    kernel!("engine/fill.cl", "fill_uniform", |given| {
        Some(smallvec![given.uint(3)?])
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
