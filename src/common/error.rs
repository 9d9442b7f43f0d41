//! The error type and how operations report errors, used from "One expression,
//! three engines" on.
//!
//! There are two kinds of failure. A programmer's mistake, such as shapes that
//! do not match, panics at the caller's line, as in ndarray: a `Result` from
//! every `+` would hide the mathematics. A failure of the environment, such as
//! a missing driver or a lack of memory, is an [`Error`]. Operators cannot
//! return a `Result`, so they [`raise`] the error: they panic with its
//! message. A program passes its main function to [`run`](crate::run), which
//! prints the message; [`attempt`](crate::attempt) turns the panic back into
//! the [`Error`].
//!
//! Reading order: [`Error`], [`raise`].

use std::cell::RefCell;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

/// An error. Its message states the problem and the remedy. Two errors are
/// equal if their variants and their messages are equal.
///
/// ```
/// use rungrad::{Device, Error, Tensor, attempt};
///
/// let [a, b] = [[2], [3]].map(|shape| Tensor::zeros(&shape, Device::Cpu));
/// let (a, b) = (a?, b?);
/// match attempt(|| &a + &b) {
///     Err(Error::ShapeMismatch { op, left, right, .. }) => {
///         assert_eq!((&op[..], left, right), ("add", vec![2], vec![3]));
///     }
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), rungrad::Error>(())
/// ```
#[derive(Clone)]
#[non_exhaustive]
pub enum Error {
    /// Invalid command-line arguments or input.
    Usage(String),
    /// A programmer's mistake that has no separate variant.
    Mistake(String),
    /// The shapes of two operands do not match.
    ShapeMismatch {
        /// The name of the operation.
        op: String,
        /// The shape of the first operand.
        left: Vec<usize>,
        /// The shape of the second operand.
        right: Vec<usize>,
        /// The requirement of the operation.
        rule: ShapeRule,
    },
    /// Two operands are on different devices.
    DeviceMismatch {
        /// The name of the operation.
        op: String,
        /// The device of the first operand.
        left: String,
        /// The device of the second operand.
        right: String,
        /// How to move one of them.
        remedy: String,
    },
    /// Two operands have different element types.
    DTypeMismatch {
        /// The name of the operation.
        op: String,
        /// The element type of the first operand.
        left: String,
        /// The element type of the second operand.
        right: String,
    },
    /// The tensor does not have this axis.
    AxisOutOfRange {
        /// The name of the operation.
        op: String,
        /// The axis. A negative axis counts from the end.
        axis: isize,
        /// The shape of the tensor.
        shape: Vec<usize>,
    },
    /// An axis is listed more than once.
    RepeatedAxis {
        /// The name of the operation.
        op: String,
        /// The repeated axis.
        axis: usize,
        /// All listed axes.
        axes: Vec<isize>,
    },
    /// The number of values is not the number of elements of the shape.
    ElementCount {
        /// The shape.
        shape: Vec<usize>,
        /// The number of values.
        values: usize,
    },
    /// No OpenCL loader or driver is installed.
    NoOpenCl(String),
    /// The requested device does not exist.
    NoDevice(String),
    /// A kernel did not compile.
    Build {
        /// The first error of the compiler, with file and line.
        sentence: String,
        /// The complete compiler log.
        log: String,
    },
    /// The device failed to allocate memory, to launch a kernel or to copy.
    Device(String),
    /// A file could not be read or written.
    Io {
        /// The file.
        path: PathBuf,
        /// The problem, such as "cannot be read".
        problem: &'static str,
        /// The remedy.
        remedy: &'static str,
        /// The error of the operating system.
        source: Arc<io::Error>,
    },
    /// The content of a file is invalid.
    File(String),
}

/// The requirement of an operation on the shapes of its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShapeRule {
    /// The shapes are equal.
    Equal,
    /// The shapes broadcast: aligned at the right, sizes are equal or 1.
    Broadcast,
    /// (.., m, k) x (.., k, n), with equal leading axes.
    Matmul,
    /// The first `batch` axes and the last `summed` axes are equal.
    Contract {
        /// The number of batch axes.
        batch: usize,
        /// The number of axes that are summed over.
        summed: usize,
    },
}

impl Error {
    /// Returns the exit code of a program that ends with this error: 2 for
    /// wrong input and for a programmer's mistake, otherwise 1.
    pub fn exit_code(&self) -> u8 {
        match self {
            Error::Usage(_)
            | Error::Mistake(_)
            | Error::ShapeMismatch { .. }
            | Error::DeviceMismatch { .. }
            | Error::DTypeMismatch { .. }
            | Error::AxisOutOfRange { .. }
            | Error::RepeatedAxis { .. }
            | Error::ElementCount { .. } => 2,
            Error::NoOpenCl(_)
            | Error::NoDevice(_)
            | Error::Build { .. }
            | Error::Device(_)
            | Error::Io { .. }
            | Error::File(_) => 1,
        }
    }

    /// Returns a function that adds the path of a file to an [`io::Error`].
    pub(crate) fn io(
        path: impl Into<PathBuf>,
        problem: &'static str,
        remedy: &'static str,
    ) -> impl FnOnce(io::Error) -> Error {
        let path = path.into();
        move |source| {
            let source = Arc::new(source);
            Error::Io { path, problem, remedy, source }
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Usage(sentence)
            | Error::Mistake(sentence)
            | Error::NoOpenCl(sentence)
            | Error::NoDevice(sentence)
            | Error::Build { sentence, .. }
            | Error::Device(sentence)
            | Error::File(sentence) => f.write_str(sentence),
            Error::ShapeMismatch { op, left, right, rule } => {
                write!(f, "{op}: ")?;
                rule.explain(left, right, f)
            }
            Error::DeviceMismatch { op, left, right, remedy } => write!(
                f,
                "{op}: the operands are on two devices, {left} and {right}; \
                 {remedy}"
            ),
            Error::DTypeMismatch { op, left, right } => write!(
                f,
                "{op}: the operands are of two types, {left} and {right}; \
                 change one with .to_dtype(..)"
            ),
            Error::AxisOutOfRange { op, axis, shape } => {
                write!(
                    f,
                    "{op}: there is no axis {axis}; shape {shape:?} has "
                )?;
                let rank = shape.len() as isize;
                write!(f, "the axes {:?}", Vec::from_iter(0..rank))?;
                match axis {
                    0.. => Ok(()),
                    _ => write!(
                        f,
                        ", which are also {:?}",
                        Vec::from_iter(-rank..0)
                    ),
                }
            }
            Error::RepeatedAxis { op, axis, axes } => write!(
                f,
                "{op}: axis {axis} appears twice in {axes:?}; name each axis \
                 once"
            ),
            Error::ElementCount { shape, values } => {
                let size: usize = shape.iter().product();
                write!(
                    f,
                    "shape {shape:?} holds {size} elements, but {values} \
                     values were given; make the two agree"
                )
            }
            Error::Io { path, problem, remedy, source } => {
                write!(f, "{} {problem}: {source}; {remedy}", path.display())
            }
        }
    }
}

impl ShapeRule {
    /// Writes how these shapes break the rule, and the remedy.
    fn explain(
        self,
        left: &[usize],
        right: &[usize],
        f: &mut fmt::Formatter<'_>,
    ) -> fmt::Result {
        match (self, left, right) {
            (ShapeRule::Equal, ..) => write!(
                f,
                "the shapes {left:?} and {right:?} differ; give both operands \
                 the same shape"
            ),
            (ShapeRule::Broadcast, ..) => write!(
                f,
                "the shapes {left:?} and {right:?} do not broadcast; aligned \
                 at the right, sizes must be equal or 1"
            ),
            (ShapeRule::Matmul, [.., _, k], [.., l, _]) if k != l => write!(
                f,
                "{left:?} x {right:?}: the left has {k} columns and the right \
                 {l} rows; make them equal, perhaps by .transpose()"
            ),
            (ShapeRule::Matmul, [_, _, ..], [_, _, ..]) => write!(
                f,
                "{left:?} x {right:?}: the axes before the matrices differ; \
                 expand one to the other"
            ),
            (ShapeRule::Matmul, ..) => write!(
                f,
                "{left:?} x {right:?}: both must be matrices of two axes; use \
                 .reshape(..)"
            ),
            (ShapeRule::Contract { batch, summed }, ..) => write!(
                f,
                "the shapes {left:?} and {right:?} must have equal batch axes \
                 (the first {batch}) and equal summed axes (the last {summed})"
            ),
        }
    }
}

/// Prints the message, so that `fn main() -> rungrad::Result<()>` shows it.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl PartialEq for Error {
    fn eq(&self, other: &Error) -> bool {
        let variant = std::mem::discriminant;
        variant(self) == variant(other) && self.to_string() == other.to_string()
    }
}

impl Eq for Error {}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Io { source, .. } => Some(source),
            _ => None,
        }
    }
}

/// The remedy for a file that cannot be read or written.
pub(crate) const CHECK_PATH: &str = "check the path and the permissions";

/// A `Result` with [`Error`] as the default error type.
pub type Result<T, E = Error> = std::result::Result<T, E>;

thread_local! {
    /// The error whose panic is unwinding this thread.
    pub(crate) static RAISED: RefCell<Option<Error>> =
        const { RefCell::new(None) };
}

/// Panics at the caller's line with the message of `error`.
#[track_caller]
pub fn raise(error: Error) -> ! {
    let sentence = error.to_string();
    RAISED.set(Some(error));
    panic!("{sentence}")
}

/// Panics at the caller's line with an [`Error::Mistake`].
#[track_caller]
pub fn mistake(sentence: String) -> ! {
    raise(Error::Mistake(sentence))
}

/// Returns the value, or [`raise`]s its error at the caller's line.
#[track_caller]
pub(crate) fn or_raise<T>(result: Result<T>) -> T {
    match result {
        Ok(value) => value,
        Err(error) => raise(error),
    }
}

/// Allocates capacity for `n` elements, or returns an error. A `Vec` that
/// fails to grow would abort the program instead.
pub(crate) fn room<T>(n: usize) -> Result<Vec<T>> {
    let mut room = Vec::new();
    match room.try_reserve_exact(n) {
        Ok(()) => Ok(room),
        Err(_) => Err(Error::Device(format!(
            "the memory of the host has no room for {n} more numbers; use \
             smaller shapes, or free what is no longer needed"
        ))),
    }
}

/// Allocates `n` zeros, or returns an error.
pub(crate) fn zeros<T: Clone + Default>(n: usize) -> Result<Vec<T>> {
    let mut zeros = room(n)?;
    zeros.resize(n, T::default());
    Ok(zeros)
}

#[cfg(test)]
mod tests {
    use std::error::Error as _;

    use super::*;

    #[test]
    fn an_error_of_a_file_has_the_error_of_the_system_as_its_source() {
        let gone = io::Error::from(io::ErrorKind::NotFound);
        let error =
            Error::io("a.csv", "cannot be read", "check the path")(gone);
        let source = error.source().unwrap().downcast_ref::<Arc<io::Error>>();
        assert_eq!(source.unwrap().kind(), io::ErrorKind::NotFound);
        let message = "a.csv cannot be read: entity not found; check the path";
        assert_eq!(error.to_string(), message);
        assert_eq!(format!("{error:?}"), message);
        assert_eq!(error.exit_code(), 1);
    }
}
