//! Indexing, windows and concatenation of arrays. "Gradients through views and
//! devices" explains which of these are each other's gradients.

use std::borrow::Cow;

use crate::checks;
use crate::error::{Error, Result};
use crate::part3_unified::check_same_kind;
use crate::part3_unified::{Array, Spans, Window};
use crate::shape::{checked_size, size};

impl Array {
    /// Selects elements along an axis by index. Indices may repeat and be in
    /// any order.
    pub fn index_select(
        &self,
        axis: usize,
        indices: &[usize],
    ) -> Result<Array> {
        checks::indices("index_select", self.shape(), axis, indices)?;
        let mut shape = self.shape().to_vec();
        shape[axis] = indices.len();
        checked_size(&shape)?;
        let [outer, n, inner] = self.sizes_around(axis);
        let rows = self.compact()?.reshape(&[outer * n, inner])?;
        let indices = repeat_per_block(indices, outer, n);
        self.filled(&shape, |backend| backend.index_select(&rows, &indices))
    }

    /// Adds each element along an axis to one of `count` elements, chosen by
    /// its index. This is the gradient of [`Array::index_select`].
    pub fn index_add(
        &self,
        axis: usize,
        indices: &[usize],
        count: usize,
    ) -> Result<Array> {
        checks::axes("index_add", self.shape(), &[axis])?;
        let [outer, n, inner] = self.sizes_around(axis);
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
        let indices = repeat_per_block(indices, outer, count);
        self.filled(&shape, |backend| {
            backend.index_add(&rows, &indices, outer * count)
        })
    }

    /// Returns the number of elements before an axis, along it, and after it.
    fn sizes_around(&self, axis: usize) -> [usize; 3] {
        let (before, after) = self.shape().split_at(axis);
        [size(before), after[0], size(&after[1..])]
    }
}

/// Repeats the indices for each of `blocks` blocks of `block_len` elements.
/// With a single block, the list is borrowed instead of copied.
fn repeat_per_block(
    indices: &[usize],
    blocks: usize,
    block_len: usize,
) -> Cow<'_, [usize]> {
    let block = |block: usize| {
        indices.iter().map(move |index| block * block_len + index)
    };
    match blocks {
        1 => Cow::Borrowed(indices),
        _ => (0..blocks).flat_map(block).collect(),
    }
}

impl Array {
    /// Returns a view of every window position; see [`View::windows`]. Data is
    /// copied only if there is padding.
    ///
    /// [`View::windows`]: crate::part3_unified::View::windows
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
        let view = padded.view().windows(&window.padding([0, 0]))?;
        Ok(padded.with_view(view))
    }

    /// Adds overlapping windows up to images of the given height and width:
    /// each element is the sum of its copies. This is the gradient of
    /// [`Array::windows`].
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
        // Cut off the padding and everything that was added to it.
        let mut inner: Vec<_> = outer.iter().map(|&n| 0..n).collect();
        let [down, right] = window.padding;
        inner.extend([down..down + image[0], right..right + image[1]]);
        folded.slice(&inner)
    }
}

impl Array {
    /// Returns a copy of the array with part of it replaced; see
    /// [`Array::set`].
    pub fn slice_assign(
        &self,
        spans: impl Spans,
        values: &Array,
    ) -> Result<Array> {
        let mut changed = self.clone();
        changed.set(spans, values)?;
        Ok(changed)
    }

    /// Concatenates arrays along an axis.
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
            check_same_kind("cat", first, part)?;
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
        // If the sum saturated, this rejects the shape.
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
    fn a_single_block_borrows_the_indices() {
        let list = [2, 0];
        let single = repeat_per_block(&list, 1, 3);
        assert!(matches!(single, Cow::Borrowed(same) if same == list));
        assert_eq!(*repeat_per_block(&list, 2, 3), [2, 0, 5, 3]);
    }
}
