//! Shapes, strides and offsets into flat memory, built in "Strides".
//!
//! This module knows nothing about elements or devices. A view is arithmetic
//! on indices, and each method returns another view of the same memory.
//!
//! Reading order: [`View`]; the methods that derive a view from another; and
//! the two that must find a pattern in the strides, [`View::reshape`] and
//! [`View::windows`].

use std::cmp::Reverse;

use smallvec::{SmallVec, smallvec};

use crate::checks;
use crate::error::{Error, Result};
use crate::shape::{self, Spans, Window, checked_size, size};

// ANCHOR: view
/// A mapping from indices to positions in flat memory. Element `[i, j]` is at
/// `offset + i * strides[0] + j * strides[1]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    shape: SmallVec<[usize; 4]>,
    /// In elements. A stride of 0 repeats the same element; a negative stride
    /// goes backward.
    strides: SmallVec<[isize; 4]>,
    /// The position of the first element; 0 in an empty view.
    offset: usize,
}
// ANCHOR_END: view

impl View {
    /// Creates the row-major view that starts at position 0.
    pub fn dense(shape: &[usize]) -> View {
        let mut strides: SmallVec<[isize; 4]> = smallvec![1; shape.len()];
        for axis in (1..shape.len()).rev() {
            strides[axis - 1] = strides[axis] * shape[axis] as isize;
        }
        View { shape: shape.into(), strides, offset: 0 }
    }

    /// Creates an arbitrary view, which must stay inside the `memory` elements
    /// of its storage.
    pub fn new(
        shape: &[usize],
        strides: &[isize],
        offset: usize,
        memory: usize,
    ) -> Result<View> {
        if shape.len() != strides.len() {
            return Err(Error::Mistake(format!(
                "view: shape {shape:?} has {} axes and {strides:?} has {} \
                 strides; give one stride for each axis",
                shape.len(),
                strides.len()
            )));
        }
        checked_size(shape)?;
        // An axis of size 1 never uses its stride; normalize it to 0.
        let (given, axes) = (strides, shape.iter().zip(strides));
        let strides =
            axes.map(|(size, stride)| if *size == 1 { 0 } else { *stride });
        let strides = strides.collect();
        let view = View { shape: shape.into(), strides, offset };
        if view.is_empty() {
            return Ok(View::dense(shape));
        }
        let (first, last) = view.bounds();
        if first < 0 || last >= memory as i128 {
            return Err(Error::Mistake(format!(
                "view: shape {shape:?} with strides {given:?} from offset \
                 {offset} reaches from element {first} to {last}, and the \
                 memory holds the elements 0 to {}; keep inside",
                memory as i128 - 1
            )));
        }
        Ok(view)
    }

    /// Returns the lowest and the highest position of a view that is not
    /// empty.
    fn bounds(&self) -> (i128, i128) {
        let mut bounds = (self.offset as i128, self.offset as i128);
        for (&size, &stride) in self.shape.iter().zip(&self.strides) {
            let way = (size as i128 - 1) * stride as i128;
            bounds.0 += way.min(0);
            bounds.1 += way.max(0);
        }
        bounds
    }

    /// Returns the size of each axis.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns the distance between neighbors along each axis, in elements.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Returns the position of the first element.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Returns the number of elements in the view.
    pub fn len(&self) -> usize {
        size(&self.shape)
    }

    /// Returns `true` if the view has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns `true` if the elements are contiguous and in row-major order.
    /// The strides of axes of size 1 are ignored, because they are never used.
    pub fn is_dense(&self) -> bool {
        let mut step = 1;
        let mut axes = self.shape.iter().zip(&self.strides).rev();
        let is_dense = axes.all(|(&size, &stride)| {
            let fits = size == 1 || stride == step;
            step *= size as isize;
            fits
        });
        is_dense || self.is_empty()
    }

    /// Iterates over the positions of the elements in row-major order.
    pub fn offsets(&self) -> impl Iterator<Item = usize> {
        shape::offsets(&self.shape, &self.strides, self.offset)
    }
}

// Views of views: these move no data.

// ANCHOR: permute
impl View {
    /// Reorders the axes: axis `i` of the result is axis `axes[i]` of this
    /// view.
    pub fn permute(&self, axes: &[usize]) -> Result<View> {
        let count = self.shape.len();
        if axes.len() != count || (0..count).any(|axis| !axes.contains(&axis)) {
            return Err(Error::Mistake(format!(
                "permute: {axes:?} does not name each of the {count} axes once"
            )));
        }
        let shape = axes.iter().map(|&axis| self.shape[axis]).collect();
        let strides = axes.iter().map(|&axis| self.strides[axis]).collect();
        Ok(View { shape, strides, offset: self.offset })
    }
}
// ANCHOR_END: permute

// ANCHOR: expand
impl View {
    /// Repeats the elements along axes of size 1 and along new leading axes,
    /// by setting their strides to 0.
    pub fn expand(&self, shape: &[usize]) -> Result<View> {
        checked_size(shape)?;
        if !stretches(&self.shape, shape) {
            return Err(Error::Mistake(format!(
                "expand: {:?} does not stretch to {shape:?}; aligned at the \
                 right, each size must be equal or 1",
                self.shape
            )));
        }
        let new = shape.len() - self.shape.len();
        let mut strides = smallvec![0; new];
        for (axis, &own) in self.shape.iter().enumerate() {
            let same = shape[new + axis] == own;
            strides.push(if same { self.strides[axis] } else { 0 });
        }
        Ok(View { shape: shape.into(), strides, offset: self.offset })
    }
}
// ANCHOR_END: expand

impl View {
    /// Selects a range of each axis. Trailing axes without a range stay whole.
    pub fn slice(&self, spans: impl Spans) -> Result<View> {
        let spans = checks::slice("slice", &self.shape, spans.spans())?;
        let mut view = self.clone();
        let mut offset = self.offset as isize;
        for (axis, span) in spans.into_iter().enumerate() {
            let count = span.indices(self.shape[axis]).len();
            view.shape[axis] = count;
            // With at most one element, the step is never taken and could
            // overflow.
            view.strides[axis] *= match count {
                2.. => span.step as isize,
                _ => isize::from(span.step == 1),
            };
            offset += span.start as isize * self.strides[axis];
        }
        // An empty range may start past the end of the storage.
        if view.is_empty() {
            return Ok(View::dense(&view.shape));
        }
        view.offset = offset as usize;
        Ok(view)
    }

    /// Reverses the given axes: they start at their last element and have the
    /// opposite stride.
    pub fn flip(&self, axes: &[usize]) -> Result<View> {
        checks::axes("flip", &self.shape, axes)?;
        let mut view = self.clone();
        if view.is_empty() {
            return Ok(view);
        }
        for &axis in axes {
            let last = self.shape[axis] as isize - 1;
            let way = last * self.strides[axis];
            view.offset = (view.offset as isize + way) as usize;
            view.strides[axis] = -self.strides[axis];
        }
        Ok(view)
    }
}

// ANCHOR: reshape
impl View {
    /// Returns a view of the same elements, in row-major order, in a new shape
    /// of the same size, or `None` if no strides can express it.
    ///
    /// The elements are a sequence of evenly spaced runs. From the last axis
    /// to the first, each new axis takes a factor of the current run's length.
    /// An axis that would span two runs has no stride.
    pub fn reshape(&self, shape: &[usize]) -> Option<View> {
        if self.is_empty() {
            return Some(View::dense(shape));
        }
        let mut runs = runs([self]).into_iter().rev();
        let (mut left, mut step) = (1, 1_isize);
        let mut strides = smallvec![0; shape.len()];
        for (stride, &size) in strides.iter_mut().zip(shape).rev() {
            if size != 1 && left == 1 {
                (left, [step]) = runs.next()?;
            }
            if left % size != 0 {
                return None;
            }
            *stride = step;
            step *= size as isize;
            left /= size;
        }
        Some(View { shape: shape.into(), strides, offset: self.offset })
    }
}
// ANCHOR_END: reshape

// ANCHOR: windows
impl View {
    /// Returns a view of every position of a window that moves over the last
    /// two axes: (.., h, w) -> (.., rows, columns, height, width). Windows
    /// overlap if the stride is smaller than the window, and still share
    /// memory. Padding is rejected, because a view has no memory for zeros;
    /// see `Array::windows`.
    pub fn windows(&self, window: &Window) -> Result<View> {
        if window.padding != [0, 0] {
            return Err(Error::Mistake(format!(
                "windows: a view has no zeros to show around an image, and \
                 the window is {window}; pad the array"
            )));
        }
        let places = window.positions(&self.shape)?;
        let outer = self.shape.len() - 2;
        // With at most one position, the step is never taken and could
        // overflow.
        let stride = |i: usize, count: usize, step: usize| match count {
            1 => 0,
            _ => self.strides[outer + i] * step as isize,
        };
        let moves = [0, 1].map(|i| stride(i, places[i], window.stride[i]));
        let inside =
            [0, 1].map(|i| stride(i, window.size[i], window.dilation[i]));
        let mut view = self.clone();
        view.shape.truncate(outer);
        view.shape.extend(places);
        view.shape.extend(window.size);
        view.strides.truncate(outer);
        view.strides.extend(moves);
        view.strides.extend(inside);
        checked_size(&view.shape)?;
        Ok(view)
    }
}
// ANCHOR_END: windows

impl View {
    /// Splits the view into the leading `axes` axes and the remaining ones.
    /// Each position of the first view is an offset for the second.
    pub fn split_at(&self, axes: usize) -> (View, View) {
        let ((front, behind), (far, near)) =
            (self.shape.split_at(axes), self.strides.split_at(axes));
        let view = |shape: &[usize], strides: &[isize], offset| View {
            shape: shape.into(),
            strides: strides.into(),
            offset,
        };
        (view(front, far, self.offset), view(behind, near, 0))
    }

    /// Returns a view of the same elements with the axes sorted by stride,
    /// largest first, so that memory is visited in order if possible.
    pub fn sorted_by_stride(&self) -> View {
        let mut axes: SmallVec<[usize; 4]> = (0..self.shape.len()).collect();
        axes.sort_by_key(|&axis| Reverse(self.strides[axis].abs()));
        View {
            shape: axes.iter().map(|&axis| self.shape[axis]).collect(),
            strides: axes.iter().map(|&axis| self.strides[axis]).collect(),
            offset: self.offset,
        }
    }
}

/// Axes, each with its size and its stride in every view.
pub type Runs<const N: usize> = SmallVec<[(usize, [isize; N]); 4]>;

/// Merges the axes of views of the same shape wherever the elements are evenly
/// spaced in every view. Returns the fewest axes that visit the elements in
/// the same order.
pub fn runs<const N: usize>(views: [&View; N]) -> Runs<N> {
    joined(&views[0].shape, views.map(|view| &view.strides[..]))
}

/// Like [`runs`], for a slice of consecutive axes.
pub fn joined<const N: usize>(
    shape: &[usize],
    strides: [&[isize]; N],
) -> Runs<N> {
    let mut runs = Runs::new();
    for (axis, &size) in shape.iter().enumerate() {
        if size == 1 {
            continue;
        }
        let strides = strides.map(|strides| strides[axis]);
        let inside = strides.map(|stride| stride * size as isize);
        match runs.last_mut() {
            Some(run) if run.1 == inside => *run = (run.0 * size, strides),
            _ => runs.push((size, strides)),
        }
    }
    runs
}

/// Returns `true` if `small` broadcasts to `large`: aligned at the right, each
/// size is equal or 1.
fn stretches(small: &[usize], large: &[usize]) -> bool {
    let pairs = small.iter().rev().zip(large.iter().rev());
    small.len() <= large.len()
        && pairs.into_iter().all(|(s, l)| s == l || *s == 1)
}

// crates/page compiles this file from another folder, so the path is explicit.
#[cfg(test)]
#[path = "view/tests.rs"]
mod tests;
