//! Indexing, windows and joins of arrays. "Gradients through views and devices"
//! tells which of these are mirrors of one another.

use std::borrow::Cow;

use super::arithmetic::alike;
use super::{Array, Spans, Window};
use crate::checks;
use crate::error::{Error, Result};
use crate::shape::{checked_size, size};

impl Array {
    /// Takes the elements at these indices along an axis, in that order, any of
    /// them more than once.
    pub fn index_select(
        &self,
        axis: usize,
        indices: &[usize],
    ) -> Result<Array> {
        checks::indices("index_select", self.shape(), axis, indices)?;
        let mut shape = self.shape().to_vec();
        shape[axis] = indices.len();
        checked_size(&shape)?;
        let [outer, n, inner] = self.around(axis);
        let rows = self.compact()?.reshape(&[outer * n, inner])?;
        let indices = repeated(indices, outer, n);
        self.filled(&shape, |backend| backend.index_select(&rows, &indices))
    }

    /// Adds each element along an axis to one of `count`, which its index
    /// names: the mirror of [`Array::index_select`].
    pub fn index_add(
        &self,
        axis: usize,
        indices: &[usize],
        count: usize,
    ) -> Result<Array> {
        checks::axes("index_add", self.shape(), &[axis])?;
        let [outer, n, inner] = self.around(axis);
        if n != indices.len() || indices.iter().any(|&at| at >= count) {
            return Err(Error::Mistake(format!(
                "index_add: shape {:?} has {n} elements along axis {axis}, \
                 with {} indices below {count}; give each element an index, \
                 counted from 0",
                self.shape(),
                indices.len()
            )));
        }
        let mut shape = self.shape().to_vec();
        shape[axis] = count;
        checked_size(&shape)?;
        let rows = self.compact()?.reshape(&[outer * n, inner])?;
        let indices = repeated(indices, outer, count);
        self.filled(&shape, |backend| {
            backend.index_add(&rows, &indices, outer * count)
        })
    }

    /// Counts the elements before an axis, along it and behind it.
    fn around(&self, axis: usize) -> [usize; 3] {
        let (before, behind) = self.shape().split_at(axis);
        [size(before), behind[0], size(&behind[1..])]
    }
}

/// Repeats indices in each of some blocks, a block being so many elements. For
/// one block they stand there already, and a long list is not copied.
fn repeated(indices: &[usize], blocks: usize, each: usize) -> Cow<'_, [usize]> {
    let block = |at: usize| indices.iter().map(move |index| at * each + index);
    match blocks {
        1 => Cow::Borrowed(indices),
        _ => (0..blocks).flat_map(block).collect(),
    }
}

impl Array {
    /// Shows each position of a window, as [`View::windows`] does. Without
    /// padding no element moves.
    ///
    /// [`View::windows`]: super::View::windows
    pub fn windows(&self, window: &Window) -> Result<Array> {
        window.positions(self.shape())?;
        let padded = match window.padding {
            [0, 0] => self.clone(),
            [down, right] => {
                let mut widths = vec![[0; 2]; self.shape().len() - 2];
                widths.extend([[down; 2], [right; 2]]);
                let (shape, inner) = checks::pad(self.shape(), &widths)?;
                let zeros = self.full_here(&shape, 0.0)?;
                zeros.slice_assign(&inner, self)?
            }
        };
        let view = padded.view.windows(&window.padding([0, 0]))?;
        Ok(padded.with_view(view))
    }

    /// Adds windows up to images of this height and width, where each element
    /// is the sum of its copies: the mirror of [`Array::windows`].
    pub fn fold(&self, window: &Window, image: [usize; 2]) -> Result<Array> {
        let positions = window.positions(&image)?;
        let (outer, inner) = match self.shape() {
            [outer @ .., a, b, c, d] => (outer, [*a, *b, *c, *d]),
            short => (short, [0; 4]),
        };
        let wanted = [positions, window.size].concat();
        if inner != wanted[..] {
            return Err(Error::Mistake(format!(
                "fold: shape {:?} does not end in {wanted:?}, the positions \
                 and the size of the windows in an image of {image:?}",
                self.shape()
            )));
        }
        let (bare, padded) = (window.padding([0, 0]), window.padded(image));
        let shape = [outer, &padded].concat();
        checked_size(&shape)?;
        let folded = self.filled(&shape, |backend| {
            backend.fold(self, &bare, size(outer), padded)
        })?;
        // What was added to the padding goes with it.
        let mut inner: Vec<_> = outer.iter().map(|&n| 0..n).collect();
        let [down, right] = window.padding;
        inner.extend([down..down + image[0], right..right + image[1]]);
        folded.slice(&inner)
    }
}

impl Array {
    /// Makes an array in which a part has other numbers; see [`Array::set`].
    pub fn slice_assign(
        &self,
        spans: impl Spans,
        values: &Array,
    ) -> Result<Array> {
        let mut changed = self.clone();
        changed.set(spans, values)?;
        Ok(changed)
    }

    /// Joins arrays, one after another along an axis.
    pub fn cat(parts: &[&Array], axis: usize) -> Result<Array> {
        let Some(first) = parts.first() else {
            return Err(Error::Mistake(
                "cat: there is nothing to join; give at least one".into(),
            ));
        };
        checks::axes("cat", first.shape(), &[axis])?;
        let mut shape = first.shape().to_vec();
        shape[axis] = 0;
        for part in parts {
            alike("cat", first, part)?;
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
        // A sum that is cut off is refused here.
        let mut joined = first.full_here(&shape, 0.0)?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_block_takes_the_list_as_it_stands() {
        let list = [2, 0];
        assert!(
            matches!(repeated(&list, 1, 3), Cow::Borrowed(at) if at == list)
        );
        assert_eq!(*repeated(&list, 2, 3), [2, 0, 5, 3]);
    }
}
