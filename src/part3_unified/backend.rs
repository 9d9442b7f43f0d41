//! The primitive operations that a device implements, built in "Eight
//! functions, one dispatch". A new device is one file that implements
//! [`Backend`].

mod adam;

pub use adam::AdamStep;

pub use crate::elementwise::{Binary, Unary};

use std::any::Any;

use super::defaults::{self, NORMAL_PDF_AT_0, normal_cdf};
use super::number::{Real, converted};
use super::{Array, DType, PendingRead, Shared, Storage, View, Window};
use crate::error::{Error, Result};
use crate::ledger::Memory;
#[cfg(feature = "opencl")]
use crate::opencl::Buffer;

/// The primitive operations of a device. Every result is a new storage in
/// row-major order, allocated by the backend. Unless a method says otherwise,
/// operands may have any strides. The caller has already checked their shapes
/// and devices, and their storages were created by this backend.
///
/// To add a device, implement the required methods, put a value of your type
/// into a `static`, and pass it to
/// [`Device::register`](super::Device::register). Override the other methods
/// if the device supports more types, or can compute a composed operation
/// faster. A backend reads the elements of an array from its own storage type
/// at the offsets of the array's view:
///
/// ```
/// use rungrad::part3_unified::{Array, Storage, downcast};
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
/// /// Returns the elements of any view in row-major order.
/// fn elements(a: &Array) -> Vec<f32> {
///     let Numbers(all) = downcast(&**a.storage());
///     a.view().offsets().map(|offset| all[offset]).collect()
/// }
/// ```
///
/// `examples/part3_spiral/counting.rs` implements a complete device with plain
/// loops.
pub trait Backend: Send + Sync {
    // Required: what every device implements.

    /// Returns the name of the device. A registered device is looked up by
    /// this name.
    fn name(&self) -> String;

    /// Returns the number of bytes in live storages, now and at the peak.
    fn memory(&self) -> Memory;

    /// Waits until all submitted work has finished.
    fn synchronize(&self) -> Result<()>;

    /// Copies values from the host into a storage of type `dtype`. A device
    /// with a single type may ignore `dtype`; the caller checks the type of
    /// the storage it gets.
    fn upload(&self, values: &[f32], dtype: DType) -> Result<Shared>;

    /// Copies all elements to the host. `f64` elements are rounded.
    fn download(&self, storage: &dyn Storage) -> Result<Vec<f32>>;

    /// Returns the first `n` values of the random sequence with this seed,
    /// uniform in `[0, 1)`. Every device must return the values of
    /// [`crate::rng`].
    fn uniform(&self, seed: u64, n: usize, dtype: DType) -> Result<Shared>;

    /// Copies the elements of a view into row-major order.
    fn copy(&self, a: &Array) -> Result<Shared>;

    /// Writes the elements of `a` to the offsets of `view` in `storage`. The
    /// view is not empty and shows each offset at most once.
    fn paste(
        &self,
        storage: &mut dyn Storage,
        view: &View,
        a: &Array,
    ) -> Result<()>;

    /// Applies `op` to each element.
    fn unary(&self, op: Unary, a: &Array) -> Result<Shared>;

    /// Applies `op` to each pair of elements. The shapes are equal.
    fn binary(&self, op: Binary, a: &Array, b: &Array) -> Result<Shared>;

    /// Selects the element of `a` where `mask` is not 0, else the element of
    /// `b`. The shapes are equal.
    fn where_cond(&self, mask: &Array, a: &Array, b: &Array) -> Result<Shared>;

    /// Reduces each row with `op`. The elements of `a` in row-major order form
    /// a (rows, columns) matrix.
    fn reduce(
        &self,
        op: Reduce,
        a: &Array,
        rows: usize,
        columns: usize,
    ) -> Result<Shared>;

    /// Multiplies batches of matrices: (batch, m, k) x (batch, k, n) ->
    /// (batch, m, n). Both operands have three axes.
    fn matmul(&self, a: &Array, b: &Array) -> Result<Shared>;

    /// Returns the rows of a dense matrix at `indices`, which are in bounds.
    fn index_select(&self, a: &Array, indices: &[usize]) -> Result<Shared>;

    /// Adds row `i` of a dense matrix to row `indices[i]` of a matrix of zeros
    /// with `rows` rows.
    fn index_add(
        &self,
        a: &Array,
        indices: &[usize],
        rows: usize,
    ) -> Result<Shared>;

    /// Adds windows, (.., rows, columns, height, width), into `count` images
    /// of size `image` (height, width), summing where windows overlap. This is
    /// the adjoint of [`View::windows`]. The window has no padding.
    fn fold(
        &self,
        a: &Array,
        window: &Window,
        count: usize,
        image: [usize; 2],
    ) -> Result<Shared>;

    // With defaults: deferred work, other types and other devices.

    /// Evaluates an array whose computation was deferred. Default: does
    /// nothing, for devices that compute eagerly.
    fn realize(&self, _: &Array) -> Result<()> {
        Ok(())
    }

    /// Returns an error if a computation that any of these arrays depends on
    /// failed after its method had returned. It may evaluate deferred work and
    /// need not wait for the device. Override this only if a method can return
    /// before the driver has accepted the work.
    fn check(&self, arrays: &[&Array]) -> Result<()> {
        arrays.iter().try_for_each(|a| self.realize(a))
    }

    /// Starts to copy all elements to the host, after the work that was
    /// submitted before. The storage must be neither changed nor dropped before
    /// the copy has ended. Default: copies them at once.
    fn start_download(&self, storage: &dyn Storage) -> Result<PendingRead> {
        Ok(PendingRead::ready(self.download(storage)?))
    }

    /// Takes over a buffer of an OpenCL device. Default: copies it through the
    /// host. A backend of the same device can keep it without a copy.
    #[cfg(feature = "opencl")]
    fn adopt(&self, buffer: Buffer<f32>) -> Result<Shared> {
        self.upload(&buffer.read()?, DType::F32)
    }

    /// Converts the elements of a view to another type. Default: an error, for
    /// devices with a single type.
    fn cast(&self, _: &Array, dtype: DType) -> Result<Shared> {
        Err(keeps_no(&self.name(), dtype))
    }

    /// Copies `f64` values from the host. Default: an error, for devices
    /// without `f64`.
    fn upload_f64(&self, _: &[f64]) -> Result<Shared> {
        Err(keeps_no(&self.name(), DType::F64))
    }

    /// Copies all elements to the host as `f64`.
    fn download_f64(&self, storage: &dyn Storage) -> Result<Vec<f64>> {
        converted(&self.download(storage)?)
    }

    // With defaults: faster versions of composed operations.

    /// Contracts two views over their last axes: (batch.., rows.., inner..) x
    /// (batch.., columns.., inner..) -> (batch.., rows.., columns..). `batch`
    /// and `inner` count the axes of each kind. A convolution uses this to
    /// multiply the windows of an image without copying them. Default:
    /// reshapes the operands to matrices, which copies if no strides can
    /// express the matrix, and calls [`Backend::matmul`].
    fn contract(
        &self,
        a: &Array,
        b: &Array,
        batch: usize,
        inner: usize,
    ) -> Result<Shared> {
        let b = defaults::matrices(b, batch, inner)?.permute(&[0, 2, 1])?;
        self.matmul(&defaults::matrices(a, batch, inner)?, &b)
    }

    /// Computes the gradient of the maximum over `axes`: splits each gradient
    /// equally among the elements that equal the maximum. `most` (the maxima)
    /// and `grads` have the shape of `a` with size 1 along `axes`. NaN counts
    /// as equal to NaN. Default: composed of the other primitives.
    fn max_backward(
        &self,
        a: &Array,
        most: &Array,
        grads: &Array,
        axes: &[usize],
    ) -> Result<Shared> {
        defaults::max_backward(a, most, grads, axes)
    }

    /// Computes the softmax of each row of a dense, non-empty matrix. Default:
    /// the exponential of [`Backend::log_softmax`].
    fn softmax(&self, a: &Array) -> Result<Shared> {
        defaults::softmax(a)
    }

    /// Computes the log-softmax of each row of a dense, non-empty matrix.
    /// Default: composed of the other primitives.
    fn log_softmax(&self, a: &Array) -> Result<Shared> {
        defaults::log_softmax(a)
    }

    /// Computes the gradient of log-softmax from its dense result `y` and the
    /// upstream gradient. Default: composed of the other primitives.
    fn log_softmax_grads(&self, y: &Array, grad_out: &Array) -> Result<Shared> {
        defaults::log_softmax_grads(y, grad_out)
    }

    /// Computes the gradient of [`Unary::Gelu`]. The shapes are equal.
    fn gelu_grads(&self, a: &Array, grad_out: &Array) -> Result<Shared> {
        defaults::gelu_grads(a, grad_out)
    }

    /// Normalizes each row of an array to mean 0 and variance 1, then applies
    /// a weight and a bias; see
    /// [`Tensor::layer_norm`](super::Tensor::layer_norm). The operands are the
    /// array, the weight and the bias. A row spans as many of the array's last
    /// axes as the weight has. The array is not empty. Default: composed of
    /// the other primitives.
    fn layer_norm(
        &self,
        operands: [&Array; 3],
        epsilon: f64,
    ) -> Result<Shared> {
        defaults::layer_norm(operands, epsilon)
    }

    /// Computes the gradients of the array, the weight and the bias of a layer
    /// norm. The operands are the array, the upstream gradient and the weight.
    /// Default: composed of the other primitives.
    fn layer_norm_grads(
        &self,
        operands: [&Array; 3],
        epsilon: f64,
    ) -> Result<[Shared; 3]> {
        defaults::layer_norm_grads(operands, epsilon)
    }

    /// Computes causal self-attention, (n, positions, 3 * width) -> (n,
    /// positions, width); see
    /// [`Tensor::self_attention`](super::Tensor::self_attention). Default:
    /// composed of the other primitives.
    fn self_attention(&self, a: &Array, heads: usize) -> Result<Shared> {
        defaults::self_attention(a, heads)
    }

    /// Computes the gradient of self-attention from the operand, the result
    /// and the upstream gradient. Default: composed of the other primitives.
    fn self_attention_grads(
        &self,
        [a, _, grad_out]: [&Array; 3],
        heads: usize,
    ) -> Result<Shared> {
        defaults::self_attention_grads(a, grad_out, heads)
    }

    /// Updates parameters with one step of Adam. Each operand is a parameter,
    /// its gradient, its running mean and its running mean square, all of one
    /// shape and type. Returns the next parameter, mean and mean square of
    /// each, which may share one storage. Default: composed of the other
    /// primitives.
    fn adam_step(
        &self,
        step: &AdamStep,
        parameters: &[[&Array; 4]],
    ) -> Result<Vec<[Array; 3]>> {
        let update = |arrays: &[&Array; 4]| defaults::adam_step(step, *arrays);
        parameters.iter().map(update).collect()
    }
}

/// Returns the error for a device that does not support a type.
pub(super) fn keeps_no(device: &str, dtype: DType) -> Error {
    Error::Device(format!(
        "{device} keeps no {dtype}: compute with them on another device, or \
         change them first by `.to_dtype(DType::F32)`"
    ))
}

/// Downcasts a storage to the type that its backend created.
pub fn downcast<T: Storage>(storage: &dyn Storage) -> &T {
    let storage: &dyn Any = storage;
    storage.downcast_ref().expect("an array knows its device")
}

impl Unary {
    /// Applies the operation to one element. This is the reference
    /// implementation; a device that computes on the CPU can fall back to it.
    pub fn apply<T: Real>(self, x: T) -> T {
        let (zero, one) = (T::zero(), T::one());
        match self {
            Unary::Scale(number) => x * T::nearest(number),
            Unary::Shift(number) => x + T::nearest(number),
            Unary::DivScalar(number) => x / T::nearest(number),
            Unary::RdivScalar(number) => T::nearest(number) / x,
            Unary::Sqrt => x.sqrt(),
            Unary::Rsqrt => x.sqrt().recip(),
            Unary::Square => x * x,
            Unary::Cube => x * x * x,
            Unary::Pow(number) => x.powf(T::nearest(number)),
            Unary::Exp => x.exp(),
            Unary::Exp2 => x.exp2(),
            Unary::Log => x.ln(),
            Unary::Log2 => x.log2(),
            Unary::Relu if x <= zero => zero,
            Unary::Relu => x,
            Unary::Tanh => x.tanh(),
            Unary::Sigmoid => {
                // The exponent is never positive, so `exp` cannot overflow.
                let small = (-x.abs()).exp();
                (if x < zero { small } else { one }) / (one + small)
            }
            Unary::Sin => x.sin(),
            Unary::Cos => x.cos(),
            Unary::Erf => x.erf(),
            Unary::Gelu => x * normal_cdf(x),
            Unary::GeluSlope => {
                let height = (x * x * T::nearest(-0.5)).exp();
                normal_cdf(x) + x * height * T::nearest(NORMAL_PDF_AT_0)
            }
            Unary::Log1p => x.ln_1p(),
            Unary::Floor => x.floor(),
            Unary::Round => x.round_ties_even(),
            Unary::Sign => truth::<T>(x > zero) - truth(x < zero),
        }
    }

    /// Returns the cheapest operation that raises to the power `number`. The
    /// special cases are also more accurate: the general power of some devices
    /// rounds even `7^1`.
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

impl Binary {
    /// Applies the operation to one pair of elements, like [`Unary::apply`].
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

/// An operation that reduces many elements to one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Reduce {
    /// The sum; 0 for an empty row.
    Sum,
    /// The largest element; NaN if any element is NaN.
    Max,
}

impl Reduce {
    /// Returns the name of the operation for error messages.
    pub fn name(self) -> &'static str {
        match self {
            Reduce::Sum => "sum",
            Reduce::Max => "max",
        }
    }

    /// Reduces one row to a value. A sum is accumulated in `f64` and rounded
    /// once.
    pub fn apply<T: Real>(self, row: &[T]) -> T {
        match self {
            Reduce::Sum => {
                let total: f64 = row.iter().map(|x| x.wide()).sum();
                // The sum of no floats is -0.
                T::nearest(total + 0.0)
            }
            Reduce::Max => {
                let lowest = T::nearest(f64::NEG_INFINITY);
                row.iter().fold(lowest, |max, &x| {
                    if x > max || x.is_nan() { x } else { max }
                })
            }
        }
    }
}

/// Returns 1 for `true` and 0 for `false`.
#[doc(hidden)]
#[inline(always)]
pub fn truth<T: Real>(condition: bool) -> T {
    if condition { T::one() } else { T::zero() }
}
