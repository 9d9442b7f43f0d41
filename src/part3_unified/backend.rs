//! The few primitives that a device must offer, built in "Eight functions, one
//! dispatch". A new device is one file that implements [`Backend`].

mod adam;
pub(super) mod cpu;
mod derived;
pub(super) mod fused;
pub(super) mod gpu;
mod pool;

pub use adam::AdamStep;
use adam::adam_step;
use derived::{HEIGHT, below, gelu_grads, log_softmax, log_softmax_grads};
use derived::{matrices, max_share, softmax};

use std::any::Any;

use super::functions::{attention, normalization};
use super::number::{Real, converted};
use super::{Array, DType, Shared, Storage, View, Window};
use crate::error::{Error, Result};
use crate::ledger::Memory;

/// One element in, one element out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Unary {
    /// Times a number.
    Scale(f64),
    /// Plus a number.
    Shift(f64),
    /// Divided by a number.
    DivScalar(f64),
    /// A number, divided by it.
    RdivScalar(f64),
    /// The square root.
    Sqrt,
    /// The product with itself.
    Square,
    /// The product of three of it.
    Cube,
    /// To the power of a number; see [`Unary::power`].
    Pow(f64),
    /// The exponential.
    Exp,
    /// The natural logarithm.
    Log,
    /// The positive part; a NaN passes.
    Relu,
    /// The hyperbolic tangent.
    Tanh,
    /// The logistic function.
    Sigmoid,
    /// The sine.
    Sin,
    /// The cosine.
    Cos,
    /// The error function: the share of a bell between `-x` and `x`.
    Erf,
    /// The product with the share of a bell that lies below it.
    Gelu,
    /// The slope of the same.
    GeluSlope,
    /// The logarithm of `1 + x`, which would be rounded for a small `x`.
    Log1p,
    /// The largest whole number that is not above it.
    Floor,
    /// The nearest whole number; of two the even one.
    Round,
    /// 1 above 0, -1 below, else 0; so it is for a NaN.
    Sign,
}

impl Unary {
    /// Computes it of one number. A device that computes on the processor may
    /// leave to this what it has no faster way for.
    pub fn apply<T: Real>(self, x: T) -> T {
        let (zero, one) = (T::zero(), T::one());
        match self {
            Unary::Scale(number) => x * T::nearest(number),
            Unary::Shift(number) => x + T::nearest(number),
            Unary::DivScalar(number) => x / T::nearest(number),
            Unary::RdivScalar(number) => T::nearest(number) / x,
            Unary::Sqrt => x.sqrt(),
            Unary::Square => x * x,
            Unary::Cube => x * x * x,
            Unary::Pow(number) => x.powf(T::nearest(number)),
            Unary::Exp => x.exp(),
            Unary::Log => x.ln(),
            Unary::Relu if x <= zero => zero,
            Unary::Relu => x,
            Unary::Tanh => x.tanh(),
            Unary::Sigmoid => {
                // 1 / (1 + e^-x), without a large exponential.
                let small = (-x.abs()).exp();
                (if x < zero { small } else { one }) / (one + small)
            }
            Unary::Sin => x.sin(),
            Unary::Cos => x.cos(),
            Unary::Erf => x.erf(),
            Unary::Gelu => x * below(x),
            Unary::GeluSlope => {
                let height = (x * x * T::nearest(-0.5)).exp();
                below(x) + x * height * T::nearest(HEIGHT)
            }
            Unary::Log1p => x.ln_1p(),
            Unary::Floor => x.floor(),
            Unary::Round => x.round_ties_even(),
            Unary::Sign => truth::<T>(x > zero) - truth(x < zero),
        }
    }
}

/// Returns 1 for what is so, else 0.
#[inline(always)]
fn truth<T: Real>(is: bool) -> T {
    if is { T::one() } else { T::zero() }
}

impl Unary {
    /// Chooses the cheapest operation for a power. In general powers, some
    /// devices round even `7^1`.
    pub fn power(number: f64) -> Unary {
        match number {
            -1.0 => Unary::RdivScalar(1.0),
            0.5 => Unary::Sqrt,
            1.0 => Unary::Scale(1.0),
            2.0 => Unary::Square,
            3.0 => Unary::Cube,
            _ => Unary::Pow(number),
        }
    }
}

// ANCHOR: binary-enum
/// Two elements in, one element out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binary {
    /// The sum.
    Add,
    /// The product.
    Mul,
    /// The quotient.
    Div,
    /// 1 where the first is less, else 0.
    Lt,
    /// 1 where the first is not greater, else 0; no NaN is.
    Le,
    /// 1 where both are equal, else 0; no NaN is.
    Eq,
    /// The first to the power of the second.
    Pow,
}
// ANCHOR_END: binary-enum

impl Binary {
    /// Returns the name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Binary::Add => "add",
            Binary::Mul => "mul",
            Binary::Div => "div",
            Binary::Lt => "lt",
            Binary::Le => "le",
            Binary::Eq => "eq",
            Binary::Pow => "pow_tensor",
        }
    }

    /// Says what it is of two numbers, as [`Unary::apply`] is of one.
    #[inline]
    pub fn apply<T: Real>(self, x: T, y: T) -> T {
        match self {
            Binary::Add => x + y,
            Binary::Mul => x * y,
            Binary::Div => x / y,
            Binary::Lt => truth(x < y),
            Binary::Le => truth(x <= y),
            Binary::Eq => truth(x == y),
            Binary::Pow => x.powf(y),
        }
    }
}

/// Many elements in, one element out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduce {
    /// The sum, 0 of none.
    Sum,
    /// The largest; a NaN is never hidden.
    Max,
}

impl Reduce {
    /// Returns the name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Reduce::Sum => "sum",
            Reduce::Max => "max",
        }
    }

    /// Says what it is of a row of numbers. A sum is rounded once.
    pub fn apply<T: Real>(self, row: &[T]) -> T {
        match self {
            Reduce::Sum => T::nearest(cpu::sum(row)),
            Reduce::Max => cpu::most(row),
        }
    }
}

/// What a device can do. Every result is a new storage in row-major order,
/// which the backend allocates: only it knows how. Arrays come in with
/// any strides, unless a line says otherwise; their sizes and devices have
/// been checked, and their storages are this backend's own.
///
/// A device of your own is a type that implements this, in a `static` that
/// [`Device::register`](super::Device::register) makes a device of. It finds
/// the numbers of an array through the array's view, in whatever it has made:
///
/// ```
/// use rungrad::part3_unified::{Array, Storage};
/// use std::any::Any;
///
/// #[derive(Debug)]
/// struct Numbers(Vec<f32>);
///
/// impl Storage for Numbers {
///     fn len(&self) -> usize {
///         self.0.len()
///     }
/// }
///
/// /// The elements of any view, in row-major order.
/// fn elements(a: &Array) -> Vec<f32> {
///     let storage: &dyn Any = &**a.storage();
///     let all = storage.downcast_ref::<Numbers>().expect("my own storage");
///     a.view().offsets().map(|at| all.0[at]).collect()
/// }
/// ```
///
/// `examples/part3_spiral/counting.rs` is a whole device in loops.
pub trait Backend: Send + Sync {
    /// Returns what the device calls itself. One that is registered is known
    /// by it.
    fn name(&self) -> String;
    /// Counts the bytes in living storages, now and at the peak.
    fn memory(&self) -> Memory;
    /// Waits until all work is done.
    fn synchronize(&self) -> Result<()>;

    /// Computes what was put off. What puts nothing off has nothing to do.
    fn realize(&self, _: &Array) -> Result<()> {
        Ok(())
    }

    /// Returns the error of a computation that some of these arrays depend on,
    /// if one has failed after its call returned. It may compute what was put
    /// off, and need not wait for the device. Only a device that returns from a
    /// call before the driver has accepted the work needs its own.
    fn check(&self, arrays: &[&Array]) -> Result<()> {
        arrays.iter().try_for_each(|a| self.realize(a))
    }

    /// Copies numbers from the host, to be kept as a type. A device that has
    /// but one may keep them as that: who asks looks at what it got.
    fn upload(&self, values: &[f32], dtype: DType) -> Result<Shared>;
    /// Copies all numbers to the host; an `f64` is rounded.
    fn download(&self, storage: &dyn Storage) -> Result<Vec<f32>>;
    /// Copies numbers of 64 bits, which not every device has.
    fn upload_f64(&self, _: &[f64]) -> Result<Shared> {
        Err(keeps_no(&self.name(), DType::F64))
    }
    /// Copies such numbers to the host.
    fn download_f64(&self, storage: &dyn Storage) -> Result<Vec<f64>> {
        converted(&self.download(storage)?)
    }
    /// Copies the elements of a view as numbers of another type, which not
    /// every device has.
    fn cast(&self, _: &Array, dtype: DType) -> Result<Shared> {
        Err(keeps_no(&self.name(), dtype))
    }
    /// Draws the first numbers of the sequence that a seed begins, each from 0
    /// to below 1: those of [`crate::rng`].
    fn uniform(&self, seed: u64, n: usize, dtype: DType) -> Result<Shared>;

    /// Copies the elements of a view, one after another.
    fn copy(&self, a: &Array) -> Result<Shared>;
    /// Writes the elements of `a` to the places of a view, which is not
    /// empty and shows no place twice.
    fn paste(
        &self,
        storage: &mut dyn Storage,
        view: &View,
        a: &Array,
    ) -> Result<()>;

    /// Applies `op` to each element.
    fn unary(&self, op: Unary, a: &Array) -> Result<Shared>;
    /// Applies `op` to each pair; the shapes are equal.
    fn binary(&self, op: Binary, a: &Array, b: &Array) -> Result<Shared>;
    /// Takes the element of `a` where `mask` is not 0, else that of `b`; the
    /// shapes are equal.
    fn where_cond(&self, mask: &Array, a: &Array, b: &Array) -> Result<Shared>;
    /// Reduces each row by `op`; in row-major order `a` is (rows, columns).
    fn reduce(
        &self,
        op: Reduce,
        a: &Array,
        rows: usize,
        columns: usize,
    ) -> Result<Shared>;
    /// Divides each gradient equally among the largest elements over some
    /// axes: `most` and `grads` have the shape of `a` with 1 for those axes. A
    /// NaN equals a NaN here. Default: composed of the other primitives.
    fn max_share(
        &self,
        a: &Array,
        most: &Array,
        grads: &Array,
        axes: &[usize],
    ) -> Result<Shared> {
        max_share(a, most, grads, axes)
    }
    /// Multiplies (batch, m, k) x (batch, k, n) -> (batch, m, n), always of
    /// three axes.
    fn matmul(&self, a: &Array, b: &Array) -> Result<Shared>;
    /// Multiplies views whose rows, columns and sums go over any axes:
    /// (batch.., rows.., inner..) x (batch.., columns.., inner..) -> (batch..,
    /// rows.., columns..), given how many axes are of the batch, and
    /// how many are summed over. So the windows of an image need not be copied
    /// to be multiplied. What has no way of its own for that makes matrices of
    /// them, and copies where no strides can say them.
    fn contract(
        &self,
        a: &Array,
        b: &Array,
        batch: usize,
        inner: usize,
    ) -> Result<Shared> {
        let b = matrices(b, batch, inner)?.permute(&[0, 2, 1])?;
        self.matmul(&matrices(a, batch, inner)?, &b)
    }

    /// Computes softmax of each row of a dense matrix that is not empty.
    /// Default: the exponential of [`Backend::log_softmax`].
    fn softmax(&self, a: &Array) -> Result<Shared> {
        softmax(a)
    }
    /// Computes log-softmax. Default: composed of the other primitives.
    fn log_softmax(&self, a: &Array) -> Result<Shared> {
        log_softmax(a)
    }
    /// Computes its gradient from those logarithms, dense ones.
    fn log_softmax_grads(&self, y: &Array, grad_out: &Array) -> Result<Shared> {
        log_softmax_grads(y, grad_out)
    }
    /// Computes the gradient of [`Unary::Gelu`]; the shapes are equal.
    fn gelu_grads(&self, a: &Array, grad_out: &Array) -> Result<Shared> {
        gelu_grads(a, grad_out)
    }

    /// Computes causal self-attention, (n, places, 3 * width) -> (n, places,
    /// width), as [`Tensor::self_attention`](super::Tensor::self_attention)
    /// states. Default: composed of the other primitives.
    fn self_attention(&self, a: &Array, heads: usize) -> Result<Shared> {
        attention::attend(a, heads)
    }
    /// Computes its gradient from the operand, the result and the upstream one.
    fn self_attention_grads(
        &self,
        [a, _, grad_out]: [&Array; 3],
        heads: usize,
    ) -> Result<Shared> {
        attention::attend_back(a, grad_out, heads)
    }
    /// Brings the rows of an array, which go over as many of its last axes as a
    /// weight has, to mean 0 and variance 1, and does with the weight and a
    /// bias what [`Tensor::layer_norm`](super::Tensor::layer_norm) says; the
    /// array is not empty. What has no way of its own computes it by the others.
    fn layer_norm(&self, of: [&Array; 3], epsilon: f64) -> Result<Shared> {
        normalization::norm(of, epsilon)
    }
    /// Computes the gradients of the array, the weight and the bias from the
    /// array, the upstream gradient and the weight.
    fn layer_norm_grads(
        &self,
        of: [&Array; 3],
        epsilon: f64,
    ) -> Result<[Shared; 3]> {
        normalization::norm_back(of, epsilon)
    }

    /// Computes the next parameter, mean and mean square from a parameter, its
    /// gradient, its mean and its mean square, all of one shape and one type. The
    /// results may share one storage. Default: composed of the other primitives.
    fn adam_step(
        &self,
        step: &AdamStep,
        of: &[[&Array; 4]],
    ) -> Result<Vec<[Array; 3]>> {
        of.iter().map(|of| adam_step(step, *of)).collect()
    }

    /// Returns the rows of a dense matrix at some indices, which are inside
    /// it.
    fn index_select(&self, a: &Array, indices: &[usize]) -> Result<Shared>;
    /// Adds each row of a dense matrix to its place among `rows` rows.
    fn index_add(
        &self,
        a: &Array,
        indices: &[usize],
        rows: usize,
    ) -> Result<Shared>;
    /// Adds windows, (.., rows, columns, height, width), up to `count`
    /// images of a height and a width: the mirror of [`View::windows`]. The
    /// window has no padding.
    fn fold(
        &self,
        a: &Array,
        window: &Window,
        count: usize,
        image: [usize; 2],
    ) -> Result<Shared>;
}

/// Says that a device has no numbers of a type.
pub(super) fn keeps_no(device: &str, dtype: DType) -> Error {
    Error::Device(format!(
        "{device} keeps no {dtype}: compute with them on another device, or \
         change them first by `.to_dtype(DType::F32)`"
    ))
}

/// Returns a storage as the type that its own backend has made.
fn downcast<T: Storage>(storage: &dyn Storage) -> &T {
    let storage: &dyn Any = storage;
    storage.downcast_ref().expect("an array knows its device")
}
