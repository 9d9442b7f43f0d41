//! How flat memory is walked: shape, strides and offset, built in "Strides".
//!
//! Nothing here knows numbers or devices. A view is arithmetic on indices,
//! and each method gives another view of the same memory.
//!
//! Reading order: [`View`], how views are made of views, and the two that
//! look for order in one: [`View::reshape`] and [`View::windows`].

use std::cmp::Reverse;

use smallvec::{SmallVec, smallvec};

use crate::checks;
use crate::error::{Error, Result};
use crate::shape::{self, Spans, Window, checked_size, size};

// ANCHOR: view
/// A way to walk flat memory. Element `[i, j]` lies at
/// `offset + i * strides[0] + j * strides[1]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    shape: SmallVec<[usize; 4]>,
    /// In elements. 0 shows the same element again, a negative one walks
    /// backwards.
    strides: SmallVec<[isize; 4]>,
    /// Where the first element lies; 0 in a view of nothing.
    offset: usize,
}
// ANCHOR_END: view

impl View {
    /// Makes the view in row-major order from the first element on.
    pub fn dense(shape: &[usize]) -> View {
        let mut strides: SmallVec<[isize; 4]> = smallvec![1; shape.len()];
        for axis in (1..shape.len()).rev() {
            strides[axis - 1] = strides[axis] * shape[axis] as isize;
        }
        View { shape: shape.into(), strides, offset: 0 }
    }

    /// Makes any view of `memory` elements that stays inside them.
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
        // The stride of an axis of size 1 is never used, whatever it is.
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

    /// Finds the first and the last element that a view that is not empty
    /// reaches.
    fn bounds(&self) -> (i128, i128) {
        let mut bounds = (self.offset as i128, self.offset as i128);
        for (&size, &stride) in self.shape.iter().zip(&self.strides) {
            let way = (size as i128 - 1) * stride as i128;
            bounds.0 += way.min(0);
            bounds.1 += way.max(0);
        }
        bounds
    }

    /// Returns the size along each axis.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// Returns how far apart, in elements, neighbors along each axis lie.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Returns where the first element lies.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Counts the elements that are shown.
    pub fn len(&self) -> usize {
        size(&self.shape)
    }

    /// Says whether no element is shown.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Says whether the elements lie one after another from the first on. The
    /// stride of an axis of size 1 is never walked and says nothing.
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

    /// Lists where each element lies, in row-major order.
    pub fn offsets(&self) -> impl Iterator<Item = usize> {
        shape::offsets(&self.shape, &self.strides, self.offset)
    }
}

// Views of views: no element moves.

// ANCHOR: permute
impl View {
    /// Puts the axes in another order: axis `i` of the result is `axes[i]`
    /// here.
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
    /// Repeats the elements along axes of size 1 and along new axes in front,
    /// by strides of 0.
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
    /// Cuts out a part of each axis. Axes that are not named at the end stay
    /// whole.
    pub fn slice(&self, spans: impl Spans) -> Result<View> {
        let spans = checks::slice("slice", &self.shape, spans.spans())?;
        let mut view = self.clone();
        let mut offset = self.offset as isize;
        for (axis, span) in spans.into_iter().enumerate() {
            let count = span.indices(self.shape[axis]).len();
            view.shape[axis] = count;
            // A step that is never made may be larger than any memory.
            view.strides[axis] *= match count {
                2.. => span.step as isize,
                _ => isize::from(span.step == 1),
            };
            offset += span.start as isize * self.strides[axis];
        }
        // A part without elements may begin behind the end.
        if view.is_empty() {
            return Ok(View::dense(&view.shape));
        }
        view.offset = offset as usize;
        Ok(view)
    }

    /// Turns some axes around: from their last element on, by the opposite
    /// stride.
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
    /// Gives the elements, in row-major order, another shape of the same size;
    /// `None` where no strides can say it.
    ///
    /// From the last axis on, each new axis takes its share of a run of
    /// evenly spaced elements. A new axis across two runs has no stride.
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
    /// Shows each position of a window that moves over the last two axes:
    /// (.., h, w) -> (.., rows, columns, height, width). The windows overlap
    /// where the stride is shorter than the window, and still share memory.
    /// Only an array can be padded: here there is no room for zeros.
    pub fn windows(&self, window: &Window) -> Result<View> {
        if window.padding != [0, 0] {
            return Err(Error::Mistake(format!(
                "windows: a view has no zeros to show around an image, and \
                 the window is {window}; pad the array"
            )));
        }
        let places = window.positions(&self.shape)?;
        let outer = self.shape.len() - 2;
        // A step that is never made may be larger than any memory.
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
    /// Splits the axes in front from those behind, which are walked from
    /// wherever a walk of the former is.
    pub(super) fn halves(&self, axes: usize) -> (View, View) {
        let ((front, behind), (far, near)) =
            (self.shape.split_at(axes), self.strides.split_at(axes));
        let view = |shape: &[usize], strides: &[isize], offset| View {
            shape: shape.into(),
            strides: strides.into(),
            offset,
        };
        (view(front, far, self.offset), view(behind, near, 0))
    }

    /// Shows the same elements in the order in which they lie, as far as axes
    /// have one.
    pub(super) fn sorted(&self) -> View {
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
pub(super) type Runs<const N: usize> = SmallVec<[(usize, [isize; N]); 4]>;

/// Joins the axes of views of one shape, as far as the elements of each are
/// evenly spaced: the fewest axes that walk the same way.
pub(super) fn runs<const N: usize>(views: [&View; N]) -> Runs<N> {
    joined(&views[0].shape, views.map(|view| &view.strides[..]))
}

/// Does the same for some axes that stand side by side.
pub(super) fn joined<const N: usize>(
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

/// Says whether `small`, aligned with `large` at the right, has each size
/// equal or 1.
fn stretches(small: &[usize], large: &[usize]) -> bool {
    let pairs = small.iter().rev().zip(large.iter().rev());
    small.len() <= large.len()
        && pairs.into_iter().all(|(s, l)| s == l || *s == 1)
}

// The pages of the book compile this file too, from another folder.
#[cfg(test)]
#[path = "view/tests.rs"]
mod tests;
