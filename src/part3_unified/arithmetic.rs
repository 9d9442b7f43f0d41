//! What computes on arrays, built in chapter 22: each checks what it is
//! given, and the backend of the device fills a new storage.

use super::storage::Shared;
use super::{Array, Backend, Binary, Reduce, Unary, Window};
use crate::error::Error;
use crate::ops::Keep;
use crate::shape::{checked_size, size};

impl Array {
    /// `op` of each element.
    pub fn unary(&self, op: Unary) -> Result<Array, Error> {
        self.made(self.shape(), |backend| backend.unary(op, self))
    }
}

// ANCHOR: binary
impl Array {
    /// `op` of each pair of elements of two equal shapes on one device.
    pub fn binary(&self, op: Binary, other: &Array) -> Result<Array, Error> {
        self.check_alike(op.name(), other)?;
        self.made(self.shape(), |backend| backend.binary(op, self, other))
    }
}
// ANCHOR_END: binary

impl Array {
    /// From each place the element of `a` where this is not 0, and that of
    /// `b` where it is.
    pub fn choose(&self, a: &Array, b: &Array) -> Result<Array, Error> {
        self.check_alike("where", a)?;
        self.check_alike("where", b)?;
        self.made(self.shape(), |backend| backend.choose(self, a, b))
    }
}

// ANCHOR: made
impl Array {
    /// A new dense array of this one's device.
    fn made(
        &self,
        shape: &[usize],
        fill: impl FnOnce(&dyn Backend) -> Result<Shared, Error>,
    ) -> Result<Array, Error> {
        checked_size(shape)?;
        let storage = fill(self.device.backend()?)?;
        Ok(Array::dense(self.device, storage, shape))
    }
}
// ANCHOR_END: made

// ANCHOR: check-device
impl Array {
    /// Two operands on one device.
    pub(super) fn check_device(
        &self,
        op: &str,
        other: &Array,
    ) -> Result<(), Error> {
        if self.device == other.device {
            return Ok(());
        }
        Err(Error::Mistake(format!(
            "{op}: the operands are on two devices, {} and {}; move one with \
             .to(..)",
            self.device, other.device
        )))
    }
}
// ANCHOR_END: check-device

impl Array {
    fn check_alike(&self, op: &str, other: &Array) -> Result<(), Error> {
        self.check_device(op, other)?;
        if self.shape() == other.shape() {
            return Ok(());
        }
        Err(Error::Mistake(format!(
            "{op}: the shapes {:?} and {:?} differ; give both operands the \
             same shape",
            self.shape(),
            other.shape()
        )))
    }
}

impl Array {
    /// All elements along some axes into one. What is kept comes first, what
    /// is reduced last, and the backend sees rows.
    pub fn reduce(
        &self,
        op: Reduce,
        axes: &[usize],
        keep: Keep,
    ) -> Result<Array, Error> {
        self.view.check_axes(op.name(), axes)?;
        let kept = (0..self.shape().len()).filter(|i| !axes.contains(i));
        let order: Vec<usize> = kept.chain(axes.iter().copied()).collect();
        let rows = self.permute(&order)?;
        let outer = order.len() - axes.len();
        let count = size(&rows.shape()[..outer]);
        let columns = size(&rows.shape()[outer..]);
        if op == Reduce::Max && columns == 0 {
            return Err(Error::Mistake(format!(
                "max: shape {:?} has no element along {axes:?}, and nothing \
                 is the largest of none; look at the shape first",
                self.shape()
            )));
        }
        let left = self.made(&rows.shape()[..outer], |backend| {
            backend.reduce(op, &rows, count, columns)
        })?;
        match keep {
            Keep::No => Ok(left),
            Keep::Yes => left.reshape(&with_ones(self.shape(), axes)),
        }
    }
}

/// The shape with some axes as 1.
pub(super) fn with_ones(shape: &[usize], axes: &[usize]) -> Vec<usize> {
    let sizes = shape.iter().enumerate();
    sizes.map(|(i, &n)| if axes.contains(&i) { 1 } else { n }).collect()
}

impl Array {
    /// The product of each matrix of a batch with its partner:
    /// (.., m, k) x (.., k, n) -> (.., m, n), the axes in front equal.
    pub fn matmul(&self, other: &Array) -> Result<Array, Error> {
        self.check_device("matmul", other)?;
        let (m, n) = check_matrices(self.shape(), other.shape())?;
        let outer = &self.shape()[..self.shape().len() - 2];
        let batch = |a: &Array| {
            let inner = a.shape()[outer.len()..].iter().copied();
            let flat = std::iter::once(size(outer)).chain(inner);
            a.reshape(&flat.collect::<Vec<_>>())
        };
        let (a, b) = (batch(self)?, batch(other)?);
        let shape = [outer, &[m, n]].concat();
        self.made(&shape, |backend| backend.matmul(&a, &b))
    }

    /// The rows of a matrix that are named, in that order, any of them more
    /// than once: (rows, width) -> (places, width).
    pub fn gather(&self, places: &[usize]) -> Result<Array, Error> {
        let [rows, width] = self.check_rows("gather")?;
        if let Some(place) = places.iter().find(|&&place| place >= rows) {
            return Err(Error::Mistake(format!(
                "gather: there is no row {place} in shape {:?}; rows count \
                 from 0",
                self.shape()
            )));
        }
        self.made(&[places.len(), width], |backend| {
            backend.gather(&self.compact()?, places)
        })
    }

    /// The mirror of [`Array::gather`]: each row of the result is the sum of
    /// the rows that were taken from there.
    pub fn scatter(
        &self,
        places: &[usize],
        rows: usize,
    ) -> Result<Array, Error> {
        let [given, width] = self.check_rows("scatter")?;
        if given != places.len() || places.iter().any(|&at| at >= rows) {
            return Err(Error::Mistake(format!(
                "scatter: {given} rows to {} places among {rows}; give each \
                 row a place, counted from 0",
                places.len()
            )));
        }
        self.made(&[rows, width], |backend| {
            backend.scatter(&self.compact()?, places, rows)
        })
    }

    fn check_rows(&self, op: &str) -> Result<[usize; 2], Error> {
        <[usize; 2]>::try_from(self.shape()).map_err(|_| {
            Error::Mistake(format!(
                "{op}: shape {:?} is no matrix of rows; reshape it to two \
                 axes",
                self.shape()
            ))
        })
    }

    /// The mirror of [`Array::windows`]: each element of an image of this
    /// height and width is the sum of its copies in all windows.
    pub fn fold(
        &self,
        window: &Window,
        image: [usize; 2],
    ) -> Result<Array, Error> {
        let places = window.places(&image)?;
        let (outer, inner) = match self.shape() {
            [outer @ .., a, b, c, d] => (outer, [*a, *b, *c, *d]),
            short => (short, [0; 4]),
        };
        let wanted = [places, window.size].concat();
        if inner != wanted[..] {
            return Err(Error::Mistake(format!(
                "fold: shape {:?} does not end in {wanted:?}, the places and \
                 the size of the windows in an image of {image:?}",
                self.shape()
            )));
        }
        let shape = [outer, &image].concat();
        self.made(&shape, |backend| {
            backend.fold(&self.compact()?, window, size(outer), image)
        })
    }

    /// Zeros around: so many before and behind along each axis.
    pub fn pad(&self, widths: &[[usize; 2]]) -> Result<Array, Error> {
        if widths.len() != self.shape().len() {
            return Err(Error::Mistake(format!(
                "pad: {} pairs of widths for shape {:?}; give each axis a \
                 pair, before and behind",
                widths.len(),
                self.shape()
            )));
        }
        let axes = self.shape().iter().zip(widths);
        let shape: Vec<usize> = axes
            .clone()
            .map(|(n, [before, after])| {
                before.saturating_add(*after).saturating_add(*n)
            })
            .collect();
        // A sum that is cut off is refused here.
        let mut padded = Array::full(&shape, 0.0, self.device)?;
        let place: Vec<_> =
            axes.map(|(n, [before, _])| *before..before + n).collect();
        padded.set(&place, self)?;
        Ok(padded)
    }

    /// One array after another along an axis.
    pub fn cat(parts: &[&Array], axis: usize) -> Result<Array, Error> {
        let Some(first) = parts.first() else {
            return Err(Error::Mistake(
                "cat: there is nothing to join; give at least one".into(),
            ));
        };
        first.view.check_axes("cat", &[axis])?;
        let mut shape = first.shape().to_vec();
        shape[axis] = 0;
        for part in parts {
            first.check_device("cat", part)?;
            let mut other = part.shape().to_vec();
            if other.len() == shape.len() {
                other[axis] = shape[axis];
            }
            if other != shape {
                return Err(Error::Mistake(format!(
                    "cat: the shapes {:?} and {:?} differ in more than axis \
                     {axis}; the other sizes must be equal",
                    first.shape(),
                    part.shape()
                )));
            }
            shape[axis] = shape[axis].saturating_add(part.shape()[axis]);
        }
        let mut joined = Array::full(&shape, 0.0, first.device)?;
        let mut from = 0;
        for part in parts {
            let mut place: Vec<_> = shape.iter().map(|&n| 0..n).collect();
            place[axis] = from..from + part.shape()[axis];
            from = place[axis].end;
            joined.set(&place, part)?;
        }
        Ok(joined)
    }
}

/// Rows and columns of the product.
fn check_matrices(a: &[usize], b: &[usize]) -> Result<(usize, usize), Error> {
    match (a, b) {
        ([outer @ .., m, k], [other @ .., l, n])
            if outer == other && k == l =>
        {
            Ok((*m, *n))
        }
        ([.., _, k], [.., l, _]) if k != l => Err(Error::Mistake(format!(
            "matmul: {a:?} x {b:?}: the left has {k} columns and the right \
             {l} rows; make them equal, perhaps by .transpose()"
        ))),
        ([_, _, ..], [_, _, ..]) => Err(Error::Mistake(format!(
            "matmul: {a:?} x {b:?}: the axes before the matrices differ; \
             expand one to the other"
        ))),
        _ => Err(Error::Mistake(format!(
            "matmul: {a:?} x {b:?}: both must be matrices of two axes; use \
             .reshape(..)"
        ))),
    }
}
